// Which tasks of an array its limit holds back.
#include "server/queue/state/array_limit.h"

#include <gtest/gtest.h>

namespace priorityd::queue {
namespace {

TrackedJob Task(absl::string_view job_id, priority::JobState state) {
  TrackedJob job;
  job.job.job_id = job_id;
  job.job.state = state;
  job.array_job_id = "9";
  return job;
}

TrackedJob Rest(absl::string_view task_ids) {
  TrackedJob job;
  job.job.job_id = "9";
  job.array_task_ids = task_ids;
  return job;
}

TEST(ArrayLimitTest, PendingTasksAreLimitedOnceSoManyRun) {
  const TrackedJob running = Task("1", priority::JobState::kRunning);
  const TrackedJob pending = Task("2", priority::JobState::kPending);
  for (const auto& [ids, limited] : {std::pair("0-9%1", true), {"0-9%2", false}, {"0-9", false}}) {
    const auto tasks = LimitTasks({running, pending}, Rest(ids));
    ASSERT_EQ(tasks.size(), 2u) << ids;
    EXPECT_EQ(tasks[0].job_id, "2");
    EXPECT_EQ(tasks[0].is_limited, limited) << ids;
    EXPECT_EQ(tasks[1].job_id, "9");
    EXPECT_EQ(tasks[1].is_limited, limited) << ids;
  }
}

TEST(ArrayLimitTest, ATasksOwnLimitComesFirst) {
  TrackedJob pending = Task("2", priority::JobState::kPending);
  pending.array_task_ids = "3%5";
  const auto tasks = LimitTasks({Task("1", priority::JobState::kRunning), pending}, Rest("0-9%1"));
  EXPECT_FALSE(tasks[0].is_limited);
  EXPECT_TRUE(tasks[1].is_limited);
}

TEST(ArrayLimitTest, TasksThatEndedDoNotCount) {
  TrackedJob ended = Task("1", priority::JobState::kRunning);
  ended.end = JobEnd::kCompleted;
  const auto tasks = LimitTasks({ended}, Rest("0-9%1"));
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_FALSE(tasks[0].is_limited);
}

TEST(ArrayLimitTest, AnArrayIsKnownByItsRestOrByItsTasks) {
  EXPECT_EQ(ArrayOf(Task("1", priority::JobState::kPending)), "9");
  EXPECT_EQ(ArrayOf(Rest("0-3")), "9");
  EXPECT_EQ(ArrayOf(Rest("")), "");
}

}  // namespace
}  // namespace priorityd::queue
