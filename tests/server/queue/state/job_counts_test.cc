// Counts by reason, compared with the standing of every job.
#include "server/queue/state/job_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/queue/state/queue_standings.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_queue.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

class JobCountsTest : public testing::Test {
 protected:
  JobCountsTest() {
    site_.source.policy.enforce.safe = true;
    site_.association("physics").limits.grp_tres_mins = {{"cpu", 300}};
    site_.qos("high").max_submit_jobs_per_user = 1000;
  }

  // A queue of jobs that differ in what keeps them back.
  std::unique_ptr<TrackedQueue> DrawQueue(uint64_t seed) {
    auto queue = std::make_unique<TrackedQueue>(site_.Build());
    priority::Draw draw(seed);
    for (int i = 0; i < 500; ++i) {
      const std::string id = std::to_string(i);
      TrackedJob job;
      job.job = priority::JobOf(id);
      job.job.cpus = 1 + draw.Below(20);
      job.job.time_limit = absl::Minutes(1 + draw.Below(60));
      if (draw.Below(3) == 0) job.job.qos = {"normal", "high"};
      if (draw.Below(3) == 0) job.job.partitions = {"fast", "main"};
      if (draw.Below(6) == 0) job.job.hold = priority::Hold::kUser;
      if (draw.Below(9) == 0) {
        job.job.state = priority::JobState::kRunning;
        job.job.cpus = 0.001;  // Leaves room under the limit.
      }
      if (draw.Below(9) == 0) job.job.account = "nowhere";
      if (draw.Below(9) == 0) job.job.eligible_time = priority::kNow + absl::Hours(1);
      if (draw.Below(9) == 0) job.job.array_tasks = 5;
      QueueUpdate update(*queue, priority::kNow);
      update.Upsert(job);
      queue->Apply(update.Finish());
    }
    return queue;
  }

  priority::SmallSite site_;
};

std::map<std::string, int64_t> CountStandings(const QueueState& state) {
  std::vector<JobPlace> places;
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    for (uint32_t i = 0; i < state.chunks()[chunk]->size(); ++i) places.push_back({chunk, i});
  }
  const std::shared_ptr<const QueueState> borrowed(&state, [](const QueueState*) {});
  std::map<std::string, int64_t> counts;
  QueueStandings standings(borrowed, priority::kNow);
  for (const JobStanding& standing : standings.Of(places)) {
    ++counts[standing.rank > 0 ? "startable" : standing.reason];
  }
  return counts;
}

TEST_F(JobCountsTest, AreThoseOfTheRanking) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto queue = DrawQueue(seed);
    const JobCounts counts = CountJobs(*queue->state(), priority::kNow);
    std::map<std::string, int64_t> by_reason;
    for (const auto& [reason, count] : counts.waiting) by_reason[std::string(reason)] = count.jobs;
    by_reason[""] = counts.running.jobs;
    by_reason["startable"] = counts.startable.jobs;
    EXPECT_EQ(by_reason, CountStandings(*queue->state())) << "seed " << seed;
    EXPECT_GT(by_reason["AssocGrpCPUMinutesLimit"], 0);
    EXPECT_GT(by_reason["BeginTime"], 0);
    EXPECT_GT(by_reason["startable"], 0);
  }
}

TEST_F(JobCountsTest, TasksOfAnArrayCountOneByOne) {
  auto queue = std::make_unique<TrackedQueue>(site_.Build());
  TrackedJob array;
  array.job = priority::JobOf("1");
  array.job.array_tasks = 7;
  QueueUpdate update(*queue, priority::kNow);
  update.Upsert(array);
  queue->Apply(update.Finish());
  const JobCounts counts = CountJobs(*queue->state(), priority::kNow);
  EXPECT_EQ(counts.startable.jobs, 1);
  EXPECT_EQ(counts.startable.tasks, 7);
}

}  // namespace
}  // namespace priorityd::queue
