// What tracked jobs accrue, against a simulation that counts minute by minute.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/server/priority/draw.h"
#include "tests/server/priority/small_site.h"

namespace priorityd::queue {
namespace {

// Far enough for the age factor not to be full.
constexpr int kMaxAgeMinutes = 100'000;

// One job as the documents have it: it accrues in a minute in which it is eligible.
struct SimulatedJob {
  std::string id;
  bool held = false;
  bool waits = false;        // For a dependency.
  std::optional<int> begin;  // Minutes after kNow, as all times here.
  int accrued = 0;

  bool EligibleAt(int now) const { return !held && !waits && begin.value_or(now) <= now; }

  // Told for the first time.
  void Start(int now, int submitted) {
    if (held || waits) return;
    accrued = std::max(0, now - begin.value_or(submitted));
  }

  TrackedJob AsTold(int submitted) const {
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.source = "test";
    job.job.submit_time = priority::kNow + absl::Minutes(submitted);
    if (held) job.job.hold = priority::Hold::kUser;
    job.told_dependency_unmet = waits;
    if (begin.has_value()) job.job.eligible_time = priority::kNow + absl::Minutes(*begin);
    return job;
  }
};

class AccrualSimulation {
 public:
  explicit AccrualSimulation(int seed) : draw_(seed) {
    site_.source.policy.weight_age = 1;
    site_.source.policy.max_age = absl::Minutes(kMaxAgeMinutes);
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
  }

  void Step() {
    QueueUpdate update(*queue_, priority::kNow + absl::Minutes(now_));
    std::vector<TrackedJob> told;
    for (auto& [id, entry] : jobs_) {
      if (!draw_.OneIn(4)) continue;
      Change(&entry.job);
      told.push_back(entry.job.AsTold(entry.submitted));
    }
    if (jobs_.size() < 30) {
      const std::string id = std::to_string(jobs_.size());
      Entry& entry = jobs_[id];
      entry.job.id = id;
      entry.submitted = now_ - draw_.Below(30);
      Change(&entry.job);
      entry.job.Start(now_, entry.submitted);
      told.push_back(entry.job.AsTold(entry.submitted));
    }
    for (const TrackedJob& job : told) update.Upsert(job);
    queue_->Apply(update.Finish());
    for (int minutes = draw_.Below(8); minutes > 0; --minutes) Pass();
  }

  // The ages of jobs that can start, and how many there are.
  void Compare(int* compared) const {
    priority::RankOptions options = priority::Now();
    options.as_of = priority::kNow + absl::Minutes(now_);
    const QueueRanking answer = Rank(queue_->state(), options, SIZE_MAX);
    size_t eligible = 0;
    for (const auto& [id, entry] : jobs_) eligible += entry.job.EligibleAt(now_);
    ASSERT_EQ(answer.ranking.ranked.size(), eligible);
    for (const auto& row : answer.ranking.ranked) {
      const std::string id(answer.jobs[row.job].job_id);
      EXPECT_NEAR(row.factors->age * kMaxAgeMinutes, jobs_.at(id).job.accrued, 1e-6)
          << "job " << id << " at minute " << now_;
      ++*compared;
    }
    for (const auto& row : answer.ranking.ineligible) EXPECT_EQ(row.factors->age, 0);
  }

 private:
  struct Entry {
    SimulatedJob job;
    int submitted = 0;
  };

  void Change(SimulatedJob* job) {
    job->held = draw_.OneIn(4);
    job->waits = draw_.OneIn(4);
    if (draw_.OneIn(2)) job->begin.reset();
    if (draw_.OneIn(3)) job->begin = now_ + draw_.Below(40) - 15;
  }

  void Pass() {
    for (auto& [id, entry] : jobs_) entry.job.accrued += entry.job.EligibleAt(now_);
    ++now_;
  }

  priority::Draw draw_;
  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
  int now_ = 0;
  std::map<std::string, Entry> jobs_;
};

class RandomAccruals : public testing::TestWithParam<int> {};

TEST_P(RandomAccruals, AreWhatAMinuteByMinuteCountGives) {
  AccrualSimulation simulation(400 + GetParam());
  int compared = 0;
  for (int step = 0; step < 200; ++step) {
    simulation.Step();
    simulation.Compare(&compared);
    if (testing::Test::HasFailure()) FAIL() << "seed " << GetParam() << " step " << step;
  }
  EXPECT_GT(compared, 500);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAccruals, testing::Range(0, 20));

}  // namespace
}  // namespace priorityd::queue
