// Job IDs that were typed, as squeue, sprio and sacct take them.
#include "client/prioctl/jobs/job_selection.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

// Job uuid-7 is tracked, has priorities and is in the ledger.
class JobSelectionTest : public PrioctlTest {
 protected:
  JobSelectionTest() {
    fake_.get_policy.Answer([](const auto&, v1::Policy*) { return grpc::Status::OK; });
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      answer->add_jobs()->mutable_job()->set_job_id("uuid-7");
      return grpc::Status::OK;
    });
    fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* answer) {
      answer->add_ineligible()->set_job_id("uuid-7");
      return grpc::Status::OK;
    });
    fake_.report_usage.Answer([](const auto&, v1::ReportUsageResponse* answer) {
      answer->add_rows()->set_job_id("uuid-7");
      return grpc::Status::OK;
    });
  }
  // What `command -j jobs` prints on standard error.
  std::string Warnings(const std::string& command, const std::string& jobs) {
    const Finished run = Run({command, "-j", jobs});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  }
};

TEST_F(JobSelectionTest, AnIdThatNeitherAJobNorSlurmHasIsAWarning) {
  for (const char* command : {"squeue", "sprio", "sacct"}) {
    for (const char* typed : {"48-50", "abc", "_4"}) {
      EXPECT_THAT(Warnings(command, typed),
                  HasSubstr(std::string("warning: --jobs: got \"") + typed + "\", which no listed"))
          << command;
    }
    EXPECT_EQ(Warnings(command, "uuid-7"), "") << command;
    EXPECT_EQ(Warnings(command, "12,12_3,12+1"), "") << command << ": they may have ended";
  }
  EXPECT_EQ(Warnings("squeue", "12_[1-3],jobname=x"), "");
  EXPECT_THAT(Warnings("squeue", "uuid-7,x\x1b[2J"), HasSubstr("got \"x\\"));
}

}  // namespace
}  // namespace priorityd
