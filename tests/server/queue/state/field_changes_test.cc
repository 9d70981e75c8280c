// Fields of tracked jobs, changed alone.
#include <gtest/gtest.h>

#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

TEST_F(QueueUpdateTest, AChangeOfOneFieldLeavesAllOthersAndTheSource) {
  TrackedJob job = Pending("1");
  job.job.time_limit = absl::Hours(3);
  job.job.tres = {{"cpu", 4}};
  job.name = "steam";
  job.source = "frontend";
  Upsert(job);
  TrackedJob told = Pending("1");
  told.job.user = "-";
  told.job.nice = 50;
  told.source = "scontrol";
  EXPECT_EQ(Change(told, {"nice"}).outcome, UpdateOutcome::kUpserted);
  const TrackedJob now = *queue_->Find("1");
  EXPECT_EQ(now.job.nice, 50);
  EXPECT_EQ(now.job.user, "ann");
  EXPECT_EQ(now.job.time_limit, absl::Hours(3));
  EXPECT_EQ(now.job.tres.size(), 1u);
  EXPECT_EQ(now.name, "steam");
  EXPECT_EQ(now.source, "frontend");
  EXPECT_EQ(Change(told, {"nice"}).outcome, UpdateOutcome::kUnchanged);
}

TEST_F(QueueUpdateTest, AgeIsKeptWhenAccountOrPartitionChange) {
  TrackedJob job = Pending("1");
  job.job.submit_time = priority::kNow - absl::Hours(10);
  Upsert(job);
  TrackedJob told = Pending("1");
  told.job.account = "physics";
  told.job.partitions = {"fast"};
  Change(told, {"account", "partitions"}, priority::kNow + absl::Hours(2));
  EXPECT_EQ(queue_->Find("1")->job.partitions[0], "fast");
  EXPECT_EQ(AccrueTime("1"), priority::kNow - absl::Hours(10));
}

TEST_F(QueueUpdateTest, FieldsOfJobsThatAreNotThereAreNotFound) {
  EXPECT_EQ(Change(Pending("1"), {"nice"}).outcome, UpdateOutcome::kNotFound);
  EXPECT_EQ(queue_->size(), 0u);
  Upsert(Pending("2"));
  Upsert(Ended("2", JobEnd::kCompleted));
  EXPECT_EQ(Change(Pending("2"), {"nice"}).outcome, UpdateOutcome::kNotFound);
  EXPECT_EQ(Change(Pending("2"), {"state"}).outcome, UpdateOutcome::kUpserted) << "requeued";
}

TEST_F(QueueUpdateTest, AnAdministratorsHoldIsReleasedByWhoSpeaksForAll) {
  TrackedJob job = Pending("1");
  job.job.hold = priority::Hold::kAdmin;
  Upsert(job);
  const JobRights ann{.user = "ann"};
  const UpdateResult denied = Change(Pending("1"), {"hold"}, priority::kNow, ann);
  EXPECT_EQ(denied.reason, "AccessDenied");
  EXPECT_EQ(denied.field, "hold");
  EXPECT_EQ(Reasons()["1"], "JobHeldAdmin");
  EXPECT_EQ(Change(Pending("1"), {"hold"}).outcome, UpdateOutcome::kUpserted);
  TrackedJob held = Pending("1");
  held.job.hold = priority::Hold::kUser;
  EXPECT_EQ(Change(held, {"hold"}, priority::kNow, ann).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(Change(Pending("1"), {"hold"}, priority::kNow, ann).outcome, UpdateOutcome::kUpserted);
}

TEST_F(QueueUpdateTest, ACallerWhoMustNotSeeAJobGetsNotFound) {
  Upsert(Pending("1"));
  EXPECT_EQ(Change(Pending("1"), {"nice"}, priority::kNow, {.user = "bob"}).reason, "AccessDenied");
  const JobRights private_jobs{.user = "bob", .jobs_are_private = true};
  EXPECT_EQ(Change(Pending("1"), {"nice"}, priority::kNow, private_jobs).outcome,
            UpdateOutcome::kNotFound);
}

TEST_F(QueueUpdateTest, TasksOfAnArrayAreCountedByTheirIds) {
  TrackedJob array = Pending("1");
  array.array_task_ids = "0-9";
  array.job.array_tasks = 10;
  Upsert(array);
  TrackedJob told = Pending("1");
  told.job.array_tasks = 7;
  EXPECT_EQ(Change(told, {"array_tasks"}).field, "array_tasks");
  told.array_task_ids = "0-6";
  EXPECT_EQ(Change(told, {"array_task_ids"}).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_->Find("1")->job.array_tasks, 7u);
}

TEST_F(QueueUpdateTest, AUserShortensWhatRunsAndLengthensWhatIsPending) {
  const JobRights ann{.user = "ann"};
  TrackedJob job = Pending("1");
  job.job.time_limit = absl::Hours(2);
  Upsert(job);
  TrackedJob told = Pending("1");
  told.job.time_limit = absl::Hours(3);
  EXPECT_EQ(Change(told, {"time_limit"}, priority::kNow, ann).outcome, UpdateOutcome::kUpserted);
  job.job.state = priority::JobState::kRunning;
  Upsert(job);
  EXPECT_EQ(Change(told, {"time_limit"}, priority::kNow, ann).field, "time_limit");
  told.job.time_limit.reset();
  EXPECT_EQ(Change(told, {"time_limit"}, priority::kNow, ann).field, "time_limit");
  told.job.time_limit = absl::Hours(1);
  EXPECT_EQ(Change(told, {"time_limit"}, priority::kNow, ann).outcome, UpdateOutcome::kUpserted);
}

}  // namespace
}  // namespace priorityd::queue
