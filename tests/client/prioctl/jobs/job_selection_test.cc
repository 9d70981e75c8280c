// Job IDs that were typed, as squeue, sprio and sacct take them.
#include "client/prioctl/jobs/job_selection.h"

#include <cstdint>
#include <string>
#include <vector>

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

v1::Job ArrayOf(const std::string& task_ids) {
  v1::Job array;
  array.set_job_id("7");
  array.set_array_task_ids(task_ids);
  return array;
}

using Ids = std::vector<uint32_t>;

TEST(SelectedTasksTest, TheFirstOnesAreThoseWithTheSmallestIdsInWhateverOrderTheyAreNamed) {
  const v1::Job array = ArrayOf("20,0-5,9,4-5%3");
  EXPECT_EQ(jobs::SelectedTasks({}, array, 3), Ids({0, 1, 2}));
  EXPECT_EQ(jobs::SelectedTasks({}, array, 100), Ids({0, 1, 2, 3, 4, 5, 9, 20}));
  const auto names = jobs::ParseJobNames("7_[9-20],7_4,7_[5-5,4],8_1");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(jobs::SelectedTasks(*names, array, 3), Ids({4, 5, 9}));
  EXPECT_EQ(jobs::SelectedTasks(*names, array, 100), Ids({4, 5, 9, 20}));
  EXPECT_EQ(jobs::TasksWithout("20,0-5,9%3", [](uint32_t task) { return task == 4; }),
            "0-3,5,9,20%3");
}

// A task for each range that names it would be 6.5 billion.
TEST(SelectedTasksTest, RangesThatNameTheSameTasksAreReadAsOne) {
  std::string ids = "0-1000000";
  while (ids.size() < 65'000) ids += ",0-1000000";
  const v1::Job array = ArrayOf(ids);
  EXPECT_EQ(jobs::SelectedTasks({}, array, 5'000'000).size(), 1'000'001u);
  const auto names = jobs::ParseJobNames("7_[" + ids + "]");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(jobs::SelectedTasks(*names, array, 5'000'000).size(), 1'000'001u);
  EXPECT_TRUE(names->front().Matches(array));
  EXPECT_EQ(jobs::TasksWithout(ids, [](uint32_t task) { return task > 2; }), "0-2");
}

}  // namespace
}  // namespace priorityd
