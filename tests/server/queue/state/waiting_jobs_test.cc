// What updates do to jobs that wait for others, and to arrays.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/queue/state/packed_job.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

TrackedJob TaskOf(TrackedJob task, uint32_t number, priority::JobState state) {
  task.array_job_id = "9";
  task.array_task_id = number;
  task.job.state = state;
  return task;
}

TEST_F(QueueUpdateTest, AnArrayRunsAsManyTasksAsItsLimitSays) {
  TrackedJob array = Pending("9");
  array.array_task_ids = "2-5%2";
  Upsert(array);
  EXPECT_EQ(Reasons()["9"], "");
  Upsert(TaskOf(Pending("90"), 0, priority::JobState::kRunning));
  EXPECT_EQ(Reasons()["9"], "");
  Upsert({TaskOf(Pending("91"), 1, priority::JobState::kSuspended),
          TaskOf(Pending("92"), 2, priority::JobState::kPending)});
  EXPECT_EQ(Reasons()["9"], "JobArrayTaskLimit");
  EXPECT_EQ(Reasons()["92"], "JobArrayTaskLimit");
  TrackedJob done = TaskOf(Pending("90"), 0, priority::JobState::kRunning);
  done.end = JobEnd::kCompleted;
  Upsert(done);
  EXPECT_EQ(Reasons()["9"], "");
  EXPECT_EQ(Reasons()["92"], "");
}

TEST_F(QueueUpdateTest, AnotherLimitActsAtOnce) {
  TrackedJob array = Pending("9");
  array.array_task_ids = "2-5%1";
  Upsert({array, TaskOf(Pending("90"), 0, priority::JobState::kRunning)});
  EXPECT_EQ(Reasons()["9"], "JobArrayTaskLimit");
  TrackedJob told = Pending("9");
  told.array_task_ids = "2-5";
  Change(told, {"array_task_ids"});
  EXPECT_EQ(Reasons()["9"], "");
}

TEST_F(QueueUpdateTest, AgeContinuesWhileTheArrayIsAtItsLimit) {
  TrackedJob array = Pending("9");
  array.array_task_ids = "2-5%1";
  Upsert(array);
  const absl::Time since = AccrueTime("9");
  Upsert(TaskOf(Pending("90"), 0, priority::JobState::kRunning));
  EXPECT_EQ(AccrueTime("9"), since);
  EXPECT_EQ(queue_->Find("9")->job.accrual_stopped, std::nullopt);
}

TEST_F(QueueUpdateTest, ADependencyThatCanNoLongerBeMetIsTheReason) {
  TrackedJob waits = Pending("2");
  waits.dependency = "afterok:1";
  Upsert({Pending("1"), waits});
  EXPECT_EQ(Reasons()["2"], "Dependency");
  Upsert(Ended("1", JobEnd::kFailed));
  EXPECT_EQ(Reasons()["2"], "DependencyNeverSatisfied");
}

// slurmctld: "Job dependency problem".
TEST_F(QueueUpdateTest, AJobThatWaitsForItselfIsInvalid) {
  TrackedJob job = Pending("1");
  for (const char* dependency : {"afterok:1", "afterany:2,after:1+5", "afternotok:2?afterok:1"}) {
    job.dependency = dependency;
    const UpdateResult result = Upsert(job);
    EXPECT_EQ(result.outcome, UpdateOutcome::kInvalid) << dependency;
    EXPECT_EQ(result.field, "dependency");
    EXPECT_EQ(result.message, "dependency: got the job itself, want other jobs");
  }
  Upsert(Pending("1"));
  EXPECT_EQ(Change(job, {"dependency"}).outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(queue_->Find("1")->dependency, "");
}

TEST_F(QueueUpdateTest, ATaskThatWaitsForItselfIsInvalid) {
  TrackedJob task = TaskOf(Pending("92"), 2, priority::JobState::kPending);
  task.dependency = "afterok:9_2";
  EXPECT_EQ(Upsert(task).field, "dependency");
  for (const char* dependency : {"afterok:9_1", "afterok:2", "afterany:91,singleton"}) {
    task.dependency = dependency;
    EXPECT_EQ(Upsert(task).outcome, UpdateOutcome::kUpserted) << dependency;
  }
}

// Of a queue that is older than the rule.
TEST_F(QueueUpdateTest, AStoredJobThatWaitsForItselfCanBeChangedOrCancelled) {
  TrackedJob job = Pending("1");
  job.dependency = "afterok:1";
  queue_->Apply(std::vector<JobChange>{{"1", PackJob(job)}});
  job.job.nice = 5;
  EXPECT_EQ(Change(job, {"nice"}).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_->Find("1")->job.nice, 5);
  job.end = JobEnd::kCancelled;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
  EXPECT_TRUE(queue_->Find("1")->ended());
}

std::string AfterOk(int ids) {
  std::string dependency = "afterok";
  for (int i = 0; i < ids; ++i) absl::StrAppend(&dependency, ":", 1000 + i);
  return dependency;
}

TEST_F(QueueUpdateTest, ADependencyOnMoreJobsThanTheBoundIsInvalid) {
  const std::string longest = AfterOk(1000);
  const std::string too_long = AfterOk(1001);
  TrackedJob job = Pending("1");
  job.dependency = longest;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
  job.dependency = too_long;
  const UpdateResult result = Change(job, {"dependency"});
  EXPECT_EQ(result.outcome, UpdateOutcome::kInvalid);
  EXPECT_EQ(result.field, "dependency");
  EXPECT_EQ(result.message, "dependency: got 1001 job ids, want at most 1000");
  EXPECT_EQ(queue_->Find("1")->dependency, longest);
}

// Of a queue that is older than the bound.
TEST_F(QueueUpdateTest, AStoredJobWithMoreJobsThanTheBoundStillWaitsAndCanBeChanged) {
  const std::string dependency = AfterOk(3000);
  TrackedJob job = Pending("1");
  job.dependency = dependency;
  queue_->Apply(std::vector<JobChange>{{"1", PackJob(job)}});
  EXPECT_TRUE(queue_->WaitingFor("3999").contains("1"));
  job.job.nice = 5;
  EXPECT_EQ(Change(job, {"nice"}).outcome, UpdateOutcome::kUpserted);
  EXPECT_EQ(queue_->Find("1")->job.nice, 5);
  Upsert(Ended("3999", JobEnd::kFailed));
  EXPECT_EQ(Reasons()["1"], "DependencyNeverSatisfied");
}

TEST_F(QueueUpdateTest, AnUpdateThatIsNotNeededAnyMoreEndsBeforeTheNextDependency) {
  std::vector<TrackedJob> jobs = {Pending("1")};
  for (const char* id : {"2", "3", "4"}) {
    jobs.push_back(Pending(id));
    jobs.back().dependency = "afterok:1";
  }
  Upsert(jobs);
  QueueUpdate update(*queue_, priority::kNow);
  update.Upsert(Ended("1", JobEnd::kCompleted));
  int evaluated = 0;
  const auto changes = update.Finish([&] {
    return ++evaluated == 2 ? absl::CancelledError("the caller has gone") : absl::OkStatus();
  });
  EXPECT_EQ(changes.status(), absl::CancelledError("the caller has gone"));
  EXPECT_EQ(evaluated, 2);
  EXPECT_EQ(Reasons()["2"], "Dependency");
}

TEST_F(QueueUpdateTest, MinutesAfterAStartAreWaitedForAndThenItAccrues) {
  TrackedJob waits = Pending("2");
  waits.job.submit_time = priority::kNow;
  waits.dependency = "after:1+10";
  Upsert({Pending("1"), waits});
  TrackedJob started = Pending("1");
  started.job.state = priority::JobState::kRunning;
  started.job.start_time = priority::kNow + absl::Minutes(1);
  Upsert(started, priority::kNow + absl::Minutes(2));
  EXPECT_EQ(Reasons(priority::kNow + absl::Minutes(10))["2"], "Dependency");
  EXPECT_EQ(Reasons(priority::kNow + absl::Minutes(11))["2"], "");
  EXPECT_EQ(AccrueTime("2"), priority::kNow + absl::Minutes(11));
}

TEST_F(QueueUpdateTest, TasksThatEndedAreKeptWhileTheirArrayIsWaitedFor) {
  TrackedJob waits = Pending("2");
  waits.dependency = "afterok:9";
  TrackedJob bad = TaskOf(Pending("90"), 0, priority::JobState::kRunning);
  Upsert({waits, bad, TaskOf(Pending("91"), 1, priority::JobState::kRunning)});
  bad.end = JobEnd::kFailed;
  Upsert(bad);
  Remove("90");
  EXPECT_EQ(Reasons()["2"], "Dependency");
  TrackedJob good = TaskOf(Pending("91"), 1, priority::JobState::kRunning);
  good.end = JobEnd::kCompleted;
  Upsert(good);
  EXPECT_EQ(Reasons()["2"], "DependencyNeverSatisfied");
}

TEST_F(QueueUpdateTest, ATaskIdWithoutAnArrayIsInvalid) {
  TrackedJob task = Pending("1");
  task.array_task_id = 3;
  EXPECT_EQ(Upsert(task).field, "array_task_id");
}

}  // namespace
}  // namespace priorityd::queue
