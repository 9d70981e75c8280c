// Which tasks of an array its limit holds back.
#include "server/queue/state/array_limit.h"

#include <gtest/gtest.h>

#include <vector>

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

ArrayLimit LimitOf(const std::vector<TrackedJob>& tasks, const TrackedJob& rest) {
  ArrayLimit limit(rest);
  for (const TrackedJob& task : tasks) limit.Count(task);
  limit.Count(rest);
  return limit;
}

TEST(ArrayLimitTest, PendingTasksAreLimitedOnceSoManyRun) {
  const TrackedJob running = Task("1", priority::JobState::kRunning);
  const TrackedJob pending = Task("2", priority::JobState::kPending);
  for (const auto& [ids, limited] : {std::pair("0-9%1", true), {"0-9%2", false}, {"0-9", false}}) {
    const ArrayLimit limit = LimitOf({running, pending}, Rest(ids));
    EXPECT_FALSE(MayBeLimited(running));
    EXPECT_TRUE(MayBeLimited(pending));
    EXPECT_EQ(limit.Holds(pending), limited) << ids;
    EXPECT_EQ(limit.Holds(Rest(ids)), limited) << ids;
  }
}

TEST(ArrayLimitTest, ATasksOwnLimitComesFirst) {
  TrackedJob pending = Task("2", priority::JobState::kPending);
  pending.array_task_ids = "3%5";
  const ArrayLimit limit =
      LimitOf({Task("1", priority::JobState::kRunning), pending}, Rest("0-9%1"));
  EXPECT_FALSE(limit.Holds(pending));
  EXPECT_TRUE(limit.Holds(Rest("0-9%1")));
}

TEST(ArrayLimitTest, TasksThatEndedDoNotCount) {
  TrackedJob ended = Task("1", priority::JobState::kRunning);
  ended.end = JobEnd::kCompleted;
  EXPECT_FALSE(MayBeLimited(ended));
  EXPECT_FALSE(LimitOf({ended}, Rest("0-9%1")).Holds(Rest("0-9%1")));
}

TEST(ArrayLimitTest, AnArrayIsKnownByItsRestOrByItsTasks) {
  EXPECT_EQ(ArrayOf(Task("1", priority::JobState::kPending)), "9");
  EXPECT_EQ(ArrayOf(Rest("0-3")), "9");
  EXPECT_EQ(ArrayOf(Rest("")), "");
}

}  // namespace
}  // namespace priorityd::queue
