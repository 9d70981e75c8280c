// Environment variables of Slurm's tools, as a real squeue, sinfo, sprio and sacct read them
// (tests/slurm/captured/environment.txt).
#include "client/prioctl/command/environment.h"

#include <cstdlib>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* const name_;
};

TEST(EnvironmentTest, AVariableStandsForAnOptionThatIsNotTyped) {
  const Variable variable("SQUEUE_USERS", "ann,bob");
  std::string text;
  std::vector<std::string> list;
  prioctl::SetFromEnvironment("SQUEUE_USERS", &text);
  prioctl::SetFromEnvironment("SQUEUE_USERS", &list);
  EXPECT_EQ(text, "ann,bob");
  EXPECT_THAT(list, ElementsAre("ann", "bob"));
  text = "typed";
  prioctl::SetFromEnvironment("SQUEUE_USERS", &text);
  EXPECT_EQ(text, "typed");
  EXPECT_FALSE(prioctl::IsSet("SQUEUE_NONE"));
  prioctl::SetFromEnvironment("SQUEUE_NONE", &text);
  EXPECT_EQ(text, "typed");
}

// Two jobs of ann's run, as when the real tools were asked.
class ToolVariablesTest : public PrioctlTest {
 protected:
  ToolVariablesTest() {
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      for (const char* id : {"1", "2"}) {
        v1::Job* job = answer->add_jobs()->mutable_job();
        job->set_job_id(id);
        job->set_user("ann");
        job->set_name("wrap");
        job->set_state(v1::JOB_STATE_RUNNING);
        job->add_partitions(*id == '1' ? "main" : "gpu");
      }
      return grpc::Status::OK;
    });
  }
  std::vector<std::string> LinesOf(std::vector<std::string> arguments) {
    const std::string out = Output(arguments);
    return absl::StrSplit(out, '\n', absl::SkipEmpty());
  }
};

TEST_F(ToolVariablesTest, SqueueFormatPrecedesFormat2AndYieldsToTypedOnes) {
  fake_.plan_starts.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Variable format("SQUEUE_FORMAT", "%i %u");
  EXPECT_THAT(LinesOf({"squeue"}), ElementsAre("JOBID USER", "2 ann", "1 ann"));
  EXPECT_THAT(LinesOf({"squeue", "-o", "%j"}), ElementsAre("NAME", "wrap", "wrap"));
  EXPECT_THAT(LinesOf({"squeue", "-h", "-O", "jobid:2"}), ElementsAre("2 ", "1 "));
  EXPECT_EQ(LinesOf({"squeue", "-l"}).size(), 4u) << "-l has a table of its own";
  EXPECT_THAT(LinesOf({"squeue", "--start"})[0], ::testing::HasSubstr("START_TIME"));
  const Variable second("SQUEUE_FORMAT2", "jobid:5,username:6");
  EXPECT_THAT(LinesOf({"squeue"}), ElementsAre("JOBID USER", "2 ann", "1 ann"));
}

TEST_F(ToolVariablesTest, SqueueFormat2IsTheLongFormat) {
  const Variable format("SQUEUE_FORMAT2", "jobid:5,username:6");
  EXPECT_THAT(LinesOf({"squeue"}), ElementsAre("JOBIDUSER  ", "2    ann   ", "1    ann   "));
  EXPECT_THAT(LinesOf({"squeue", "-o", "%j"}), ElementsAre("NAME", "wrap", "wrap"));
}

TEST_F(ToolVariablesTest, SqueueSortsAndFiltersByVariables) {
  const Variable sort("SQUEUE_SORT", "i");
  EXPECT_THAT(LinesOf({"squeue", "-h", "-o", "%i"}), ElementsAre("1", "2"));
  EXPECT_THAT(LinesOf({"squeue", "-h", "-o", "%i", "-S", "-i"}), ElementsAre("2", "1"));
  const Variable states("SQUEUE_STATES", "PENDING");
  EXPECT_THAT(LinesOf({"squeue", "-h", "-o", "%i"}), IsEmpty());
  EXPECT_THAT(LinesOf({"squeue", "-h", "-o", "%i", "-t", "RUNNING"}), ElementsAre("1", "2"));
  const Variable users("SQUEUE_USERS", "nobody");
  const Variable partitions("SQUEUE_PARTITION", "gpu");
  LinesOf({"squeue", "-t", "all"});
  EXPECT_THAT(fake_.list_jobs.requests().back().users(), ElementsAre("nobody"));
  EXPECT_THAT(fake_.list_jobs.requests().back().partitions(), ElementsAre("gpu"));
  LinesOf({"squeue", "-u", "ann"});
  EXPECT_THAT(fake_.list_jobs.requests().back().users(), ElementsAre("ann"));
}

TEST_F(ToolVariablesTest, SprioFormatYieldsToTypedColumnsAndToTheLongTable) {
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Variable format("SPRIO_FORMAT", "%i %Y");
  EXPECT_THAT(LinesOf({"sprio"}), ElementsAre("JOBID PRIORITY"));
  EXPECT_THAT(LinesOf({"sprio", "-o", "%u"}), ElementsAre("USER"));
  EXPECT_THAT(LinesOf({"sprio", "-l"})[0], ::testing::HasSubstr("FAIRSHARE"));
}

TEST_F(ToolVariablesTest, SacctFormatYieldsToTypedColumns) {
  fake_.report_usage.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.list_usage_records.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Variable format("SACCT_FORMAT", "jobid,user");
  EXPECT_THAT(LinesOf({"sacct", "-P"})[0], "JobID|User");
  EXPECT_THAT(LinesOf({"sacct", "-P", "-o", "account"})[0], "Account");
}

TEST_F(ToolVariablesTest, ScancelAsksAndFiltersByVariables) {
  const Variable user("SCANCEL_USER", "nobody");
  EXPECT_EQ(Run({"scancel", "1"}).exit_code, 1) << "it runs";
  EXPECT_THAT(fake_.list_jobs.requests().back().users(), ElementsAre("nobody"));
  const Variable wrong("SCANCEL_INTERACTIVE", "perhaps");
  EXPECT_EQ(Run({"scancel", "1"}).exit_code, 2);
}

}  // namespace
}  // namespace priorityd
