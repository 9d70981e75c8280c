// The age of the data, printed beside tables in Slurm's form.
#include "client/prioctl/jobs/staleness.h"

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StalenessTest : public PrioctlTest {
 protected:
  // `seconds`: 0 = not stale.
  void AnswerEveryTable(int seconds) {
    const auto set = [seconds](v1::Snapshot* snapshot) {
      snapshot->set_cluster("orc");
      if (seconds > 0) snapshot->mutable_stale_for()->set_seconds(seconds);
    };
    fake_.list_jobs.Answer([set](const auto&, v1::ListJobsResponse* answer) {
      set(answer->mutable_snapshot());
      return grpc::Status::OK;
    });
    fake_.list_shares.Answer([set](const auto&, v1::ListSharesResponse* answer) {
      set(answer->mutable_snapshot());
      return grpc::Status::OK;
    });
    fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
    fake_.rank_jobs.Answer([set](const auto&, v1::RankJobsResponse* answer) {
      set(answer->mutable_snapshot());
      return grpc::Status::OK;
    });
  }
};

TEST_F(StalenessTest, OldTablesAreUnchangedAndReportedOnStandardError) {
  for (const char* tool : {"squeue", "sshare", "sprio"}) {
    AnswerEveryTable(0);
    const Finished fresh = Run({tool});
    EXPECT_EQ(fresh.err, "") << tool;
    AnswerEveryTable(2 * 86400 + 75);
    const Finished old = Run({tool});
    EXPECT_EQ(old.out, fresh.out) << tool;
    EXPECT_EQ(old.err,
              "warning: the service has not reached its database for 2-00:01:15: the output may "
              "be old\n")
        << tool;
    EXPECT_EQ(old.exit_code, 0) << tool;
    EXPECT_THAT(Run({tool, "--json"}).err, Not(HasSubstr("warning"))) << "JSON has it itself";
  }
}

}  // namespace
}  // namespace priorityd
