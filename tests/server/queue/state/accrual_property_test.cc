// What tracked jobs accrue, against a simulation that counts minute by minute.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/state/accrual.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

// Far enough for the age factor not to be full.
constexpr int kMaxAgeMinutes = 100'000;

// What the configuration that holds allows.
struct Allowed {
  int fast_hours = 4;             // MaxTime of `fast`.
  std::optional<uint32_t> nodes;  // GrpTRES of physics, which the job alone exceeds.
  std::optional<int> wall_hours;  // MaxWall of physics.

  bool operator()(bool fast, uint32_t wanted_nodes, int hours) const {
    return (!fast || (hours <= fast_hours && wanted_nodes <= 4)) &&
           wanted_nodes <= nodes.value_or(wanted_nodes) && hours <= wall_hours.value_or(hours);
  }
};

// One job as the documents have it: it accrues in a minute in which it is eligible and its nodes
// and time limit are allowed.
struct SimulatedJob {
  std::string id;
  bool held = false;
  bool waits = false;  // For a dependency.
  bool fast = false;   // Its partition; `main` takes all jobs.
  uint32_t nodes = 1;
  int hours = 1;             // Of time limit.
  std::optional<int> begin;  // Minutes after kNow, as all times here.
  int accrued = 0;

  bool EligibleAt(int now, const Allowed& allowed) const {
    return !held && !waits && begin.value_or(now) <= now && allowed(fast, nodes, hours);
  }

  // Submitted for the first time.
  void Start(int now, int submitted, const Allowed& allowed) {
    if (held || waits || !allowed(fast, nodes, hours)) return;
    accrued = std::max(0, now - begin.value_or(submitted));
  }

  TrackedJob AsTold(int submitted) const {
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.source = "test";
    job.job.submit_time = priority::kNow + absl::Minutes(submitted);
    if (held) job.job.hold = priority::Hold::kUser;
    job.told_dependency_unmet = waits;
    if (fast) job.job.partitions = {"fast"};
    job.job.nodes = nodes;
    job.job.time_limit = absl::Hours(hours);
    if (begin.has_value()) job.job.eligible_time = priority::kNow + absl::Minutes(*begin);
    return job;
  }
};

class AccrualSimulation {
 public:
  explicit AccrualSimulation(int seed) : draw_(seed) {
    site_.source.policy.weight_age = 1;
    site_.source.policy.max_age = absl::Minutes(kMaxAgeMinutes);
    Configure();
    queue_ = std::make_unique<TrackedQueue>(site_.Build());
  }

  // Another configuration holds from a recalculation at this minute on. Whether it is the change of
  // the queue that a replica stores for it, or only the snapshot, must make no difference.
  void Reconfigure() {
    allowed_.fast_hours = 1 + draw_.Below(8);
    allowed_.nodes.reset();
    allowed_.wall_hours.reset();
    if (draw_.OneIn(3)) allowed_.nodes = 1 + draw_.Below(8);
    if (draw_.OneIn(3)) allowed_.wall_hours = 1 + draw_.Below(8);
    Configure();
    site_.source.computed_at = priority::kNow + absl::Minutes(now_);
    queue_->SetSnapshot(site_.Build());
    stored_ = false;
  }

  void Step() {
    if (draw_.OneIn(5)) Reconfigure();
    // Changes come after what the recalculation before them moves; a ranking may come earlier.
    if (!stored_) {
      for (int minutes = draw_.Below(5); minutes > 0; --minutes) Pass();
      int compared = 0;
      Compare(&compared);
      Store();
    }
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
      entry.job.Start(now_, entry.submitted, allowed_);
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
    for (const auto& [id, entry] : jobs_) eligible += entry.job.EligibleAt(now_, allowed_);
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
    job->fast = draw_.OneIn(2);
    job->nodes = 1 + draw_.Below(6);
    job->hours = 1 + draw_.Below(8);
  }

  void Configure() {
    site_.partition("fast").max_time = absl::Hours(allowed_.fast_hours);
    auto& limits = site_.association("physics").limits.others;
    limits.clear();
    if (allowed_.nodes.has_value()) {
      limits.push_back({priority::LimitKind::kGrpTres, "node", double(*allowed_.nodes)});
    }
    if (allowed_.wall_hours.has_value()) {
      limits.push_back({priority::LimitKind::kMaxWall, "", *allowed_.wall_hours * 3600.0});
    }
  }

  void Store() {
    queue_->Apply(MoveAccruals(*queue_->state(), site_.source.computed_at));
    EXPECT_TRUE(MoveAccruals(*queue_->state(), site_.source.computed_at).empty());
    stored_ = true;
  }

  void Pass() {
    for (auto& [id, entry] : jobs_) entry.job.accrued += entry.job.EligibleAt(now_, allowed_);
    ++now_;
  }

  priority::Draw draw_;
  priority::SmallSite site_;
  std::unique_ptr<TrackedQueue> queue_;
  Allowed allowed_;
  bool stored_ = true;  // What the last configuration moves.
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
