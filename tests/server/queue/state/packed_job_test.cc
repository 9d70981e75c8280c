#include "server/queue/state/packed_job.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/priority/draw.h"

namespace priorityd::queue {
namespace {

TEST(PackedJob, ComesBackAsItWas) {
  priority::Draw draw(5);
  for (int i = 0; i < 2000; ++i) {
    TrackedJob job;
    job.job = draw.NextJob();
    job.job.violation = {};
    job.source = "slurm";
    if (job.job.has_reservation) job.reservation = "r";
    if (draw.OneIn(2)) job.name = "render";
    if (draw.OneIn(2)) job.dependency = "afterok:7";
    if (draw.OneIn(2)) job.job.accrual_stopped = priority::kNow;
    if (draw.OneIn(3)) job.end = JobEnd::kTimeout;
    if (draw.OneIn(3)) job.end_time = priority::kNow;
    job.told_dependency_unmet = draw.OneIn(2);
    job.site_factor_answered = draw.OneIn(2);
    if (draw.OneIn(4)) job.job.array_tasks = 7;
    if (draw.OneIn(4)) job.array_task_ids = "1-7";
    if (draw.OneIn(4)) job.array_job_id = "9";
    if (draw.OneIn(4)) job.array_task_id = draw.Below(3);
    job.job.array_limited = draw.OneIn(2);
    job.job.dependency_never = draw.OneIn(2);
    if (draw.OneIn(3)) job.job.dependency_until = priority::kNow;
    const std::string packed = PackJob(job);
    const TrackedJob back = UnpackJob(packed);
    EXPECT_EQ(PackJob(back), packed);
    EXPECT_EQ(back.job.job_id, job.job.job_id);
    EXPECT_EQ(back.array_job_id, job.array_job_id);
    EXPECT_EQ(back.array_task_id, job.array_task_id);
    EXPECT_EQ(back.job.array_limited, job.job.array_limited);
    EXPECT_EQ(back.job.dependency_never, job.job.dependency_never);
    EXPECT_EQ(back.job.dependency_until, job.job.dependency_until);
    EXPECT_EQ(back.job.partitions, job.job.partitions);
    EXPECT_EQ(back.job.qos, job.job.qos);
    EXPECT_EQ(back.job.submit_time, job.job.submit_time);
    EXPECT_EQ(back.job.eligible_time, job.job.eligible_time);
    EXPECT_EQ(back.job.accrue_time, job.job.accrue_time);
    EXPECT_EQ(back.job.time_limit, job.job.time_limit);
    EXPECT_EQ(back.job.nice, job.job.nice);
    EXPECT_EQ(back.job.site_factor, job.job.site_factor);
    EXPECT_EQ(back.job.admin_priority, job.job.admin_priority);
    EXPECT_EQ(back.job.previous_priority, job.job.previous_priority);
    ASSERT_EQ(back.job.pair_priorities.size(), job.job.pair_priorities.size());
    for (size_t i = 0; i < back.job.pair_priorities.size(); ++i) {
      EXPECT_EQ(back.job.pair_priorities[i].partition, job.job.pair_priorities[i].partition);
      EXPECT_EQ(back.job.pair_priorities[i].qos, job.job.pair_priorities[i].qos);
      EXPECT_EQ(back.job.pair_priorities[i].priority, job.job.pair_priorities[i].priority);
    }
    EXPECT_EQ(back.job.preemptor, job.job.preemptor);
    EXPECT_EQ(back.job.array_tasks, job.job.array_tasks);
    EXPECT_EQ(back.job.dependency_unmet, job.job.dependency_unmet);
    EXPECT_EQ(back.site_factor_answered, job.site_factor_answered);
    EXPECT_EQ(back.array_task_ids, job.array_task_ids);
    EXPECT_EQ(back.dependency, job.dependency);
    EXPECT_EQ(back.name, job.name);
    EXPECT_EQ(back.job.accrual_stopped, job.job.accrual_stopped);
    EXPECT_EQ(back.end, job.end);
    EXPECT_EQ(back.end_time, job.end_time);
  }
}

TEST(PackedJob, TheOrderOfTresDoesNotMatter) {
  TrackedJob job;
  job.job.tres = {{"cpu", 1}, {"mem", 2}};
  TrackedJob other = job;
  std::reverse(other.job.tres.begin(), other.job.tres.end());
  EXPECT_EQ(PackJob(job), PackJob(other));
}

}  // namespace
}  // namespace priorityd::queue
