// Licenses and task ids of arrays: what the cluster does not have is refused at submission.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "server/queue/state/submission.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

class SubmittedCountsTest : public QueueUpdateTest {
 protected:
  UpdateResult Submit(const TrackedJob& job) {
    Start();
    return Upsert(job);
  }
};

TEST_F(SubmittedCountsTest, MoreLicensesThanThereAreAreRefused) {
  site_.source.cluster.tres["license/foo"] = 10;
  TrackedJob job = Pending("1");
  job.job.tres = {{"license/foo", 11}};
  EXPECT_TRUE(absl::StartsWith(Submit(job).message, "Invalid license specification: "));
  job.job.tres = {{"license/foo", 10}};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

// slurmctld 25.11, license_validate: a name that is no license of the cluster is invalid, whether
// it has a server or not.
TEST_F(SubmittedCountsTest, WhereTheClusterHasLicensesOtherOnesAreRefused) {
  site_.source.cluster.tres = {};
  TrackedJob job = Pending("1");
  job.job.tres = {{"license/nope", 1}};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted) << "the cluster has none";
  site_.source.cluster.tres["license/matlab@slurmdb"] = 5;
  const UpdateResult refused = Submit(job);
  EXPECT_EQ(refused.reason, "BadConstraints");
  EXPECT_EQ(refused.message, "Invalid license specification: the cluster has no license/nope");
  job.job.tres = {{"license/matlab", 1}};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kRefused) << "that one has no server";
  job.job.tres = {{"license/matlab@slurmdb", 6}};
  EXPECT_EQ(Submit(job).message,
            "Invalid license specification: the job needs 6 of license/matlab@slurmdb, the cluster "
            "has 5");
  job.job.tres = {{"license/matlab@slurmdb", 5}};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

// The guide's site: MaxArraySize=500000, so that the largest index is 499999.
TEST_F(SubmittedCountsTest, TaskIdsOfAnArrayAreBelowMaxArraySize) {
  TrackedJob array = Pending("1");
  array.array_task_ids = "0-499999";
  site_.source.policy.max_array_size = 500'000;
  EXPECT_EQ(Submit(array).outcome, UpdateOutcome::kUpserted);
  array.job.job_id = "2";
  array.array_task_ids = "1,500000%5";
  const UpdateResult refused = Submit(array);
  EXPECT_EQ(refused.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(refused.reason, "MaxArraySize");
  EXPECT_EQ(refused.field, "array_task_ids");
  EXPECT_EQ(refused.message,
            "Invalid job array specification: got task id 500000, want task ids below 500000 "
            "(MaxArraySize)");
  array.array_task_ids = "0-500000:3";  // The last task is 499998.
  EXPECT_EQ(Submit(array).outcome, UpdateOutcome::kUpserted);
  site_.source.policy.max_array_size = 0;
  array.job.job_id = "3";
  array.array_task_ids = "0";
  EXPECT_EQ(Submit(array).reason, "MaxArraySize") << "0 = no arrays";
}

TEST_F(SubmittedCountsTest, AnArrayThatWasTakenKeepsItsTasksUnderASmallerMaxArraySize) {
  TrackedJob array = Pending("1");
  array.array_task_ids = "0-9";
  site_.source.policy.max_array_size = 5;
  Start();
  Submission submission(*queue_->state());
  TrackedJob moved = array;
  moved.job.partitions = {"fast"};
  EXPECT_FALSE(submission.Refuse(moved, &array).has_value());
  EXPECT_TRUE(submission.Refuse(array).has_value());
  moved.array_task_ids = "0-8";
  EXPECT_TRUE(submission.Refuse(moved, &array).has_value());
}

}  // namespace
}  // namespace priorityd::queue
