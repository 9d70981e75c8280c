// What would have to change, applied to the inputs of random queues, turns the
// order; slightly less does not; and what is not possible does not by any amount.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/explanation/comparison.h"
#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/random_tree.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

constexpr int kQueues = 6000;
// Usage is asked for in parts of what it is.
const double kParts = std::exp2(32);

// A cluster and a queue whose inputs can be changed one by one.
struct Inputs {
  priority::SnapshotSource source;
  std::vector<priority::Association> associations;
  std::map<int64_t, double> usage;  // Own, by id.
  std::vector<priority::Job> jobs;
  absl::Time as_of = priority::kNow;

  std::unique_ptr<const priority::Snapshot> Build() const {
    priority::SnapshotSource built = source;
    built.tree = std::make_shared<const priority::AssociationTree>(
        priority::AssociationTree::Build(associations).value());
    built.own_usage.resize(built.tree->size());
    for (const auto& [id, own] : usage) built.own_usage[built.tree->FindId(id)] = own;
    return priority::Snapshot::Compute(std::move(built));
  }

  priority::Association& association(int64_t id) {
    return *std::find_if(associations.begin(), associations.end(),
                         [id](const priority::Association& a) { return a.id == id; });
  }

  // Of the association and all below it.
  void ScaleUsage(int64_t id, double kept) {
    std::set<int64_t> below = {id};
    bool grown = true;
    while (grown) {
      grown = false;
      for (const priority::Association& a : associations) {
        if (below.contains(a.parent_id)) grown |= below.insert(a.id).second;
      }
    }
    for (const int64_t i : below) usage[i] *= kept;
  }
};

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  bool OneIn(int n) { return Below(n) == 0; }
  int Below(int n) { return static_cast<int>(random_() % n); }
  template <typename T>
  T Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int>(choices.size()))];
  }

  Inputs Queue() {
    Inputs inputs;
    const priority::RandomTree tree = priority::MakeRandomTree(
        &random_, 4 + Below(25),
        Of<priority::Usage>({priority::Usage::kAnything, priority::Usage::kProportional,
                             priority::Usage::kDistinct}));
    inputs.associations = tree.associations;
    for (const auto& [id, decimal] : tree.own_usage) {
      EXPECT_TRUE(absl::SimpleAtod(decimal, &inputs.usage[id]));
    }
    inputs.source = priority::SmallSite().source;
    inputs.source.partitions.push_back(inputs.source.partitions[1]);
    inputs.source.partitions.back().name = "debug";
    if (OneIn(4)) inputs.source.partitions[1].priority_tier = 2;
    inputs.source.linear_capacity = OneIn(3) ? 0 : 3000;
    DrawPolicy(inputs.source.policy);
    if (OneIn(4)) {
      inputs.source.qos[1].usage_threshold = 0.5;
      inputs.source.qos[1].enforce_usage_threshold = true;
    }
    for (const priority::Association& a : inputs.associations) {
      if (a.user.empty()) continue;
      for (int n = 1 + Below(2); n > 0; --n) inputs.jobs.push_back(NextJob(a));
    }
    return inputs;
  }

 private:
  absl::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  void DrawPolicy(priority::Policy& policy) {
    policy.priority_type =
        OneIn(30) ? priority::PriorityType::kBasic : priority::PriorityType::kMultifactor;
    policy.algorithm = Of<priority::FairShareAlgorithm>(
        {priority::FairShareAlgorithm::kFairTree, priority::FairShareAlgorithm::kFairTree,
         priority::FairShareAlgorithm::kClassic, priority::FairShareAlgorithm::kDepthOblivious,
         priority::FairShareAlgorithm::kLinear});
    if (OneIn(4)) policy.fair_tree_ties = priority::FairTreeTies::kSlurm;
    policy.half_life =
        Of<absl::Duration>({absl::Hours(1), absl::Hours(168), absl::InfiniteDuration()});
    policy.max_age =
        Of<absl::Duration>({absl::ZeroDuration(), absl::Hours(2), absl::Hours(4), absl::Hours(4),
                            absl::Hours(100), absl::InfiniteDuration()});
    policy.weight_age = Of<uint32_t>({0, 1, 10, 1000, 1000, 1000, 100000, 4294967295u});
    policy.weight_fair_share = Of<uint32_t>({0, 3, 1000, 5000, 100000});
    policy.weight_qos = Of<uint32_t>({0, 0, 300});
    if (OneIn(2)) policy.weight_tres["cpu"] = Of<double>({-50.3, 0.5, 17.17, 2000});
    policy.accrue_always = OneIn(6);
    policy.incr_only = OneIn(6);
  }

  priority::Job NextJob(const priority::Association& a) {
    priority::Job job;
    job.job_id = Keep(absl::StrCat(texts_.size()));
    job.user = Keep(a.user);
    job.account = Keep(a.account);
    job.partitions = {a.partition.empty() ? Of<absl::string_view>({"main", "fast"}) : "debug"};
    if (OneIn(4)) job.partitions.push_back("main");
    job.qos = {OneIn(3) ? "high" : "normal"};
    if (!OneIn(10)) job.submit_time = priority::kNow - absl::Minutes(Below(300));
    if (OneIn(5)) job.accrue_time = priority::kNow + absl::Minutes(Below(600) - 400);
    if (OneIn(15)) job.eligible_time = priority::kNow + absl::Minutes(Below(60) - 30);
    job.cpus = Below(64);
    if (OneIn(3)) job.nice = Below(400) - 200;
    if (OneIn(3)) job.site_factor = Below(400) - 200;
    if (OneIn(30)) job.admin_priority = Below(500);
    if (OneIn(5)) job.previous_priority = Below(1000);
    if (OneIn(30)) job.preemptor = true;
    if (OneIn(30)) job.reservation = "r";
    if (OneIn(30)) job.hold = priority::Hold::kUser;
    if (OneIn(40)) job.state = priority::JobState::kRunning;
    return job;
  }

  std::mt19937 random_;
  std::deque<std::string> texts_;
};

// The rows that a comparison was about, so that the same are compared again.
CompareOptions Rows(const Inputs& inputs, const Comparison& comparison) {
  CompareOptions options;
  options.as_of = inputs.as_of;
  RowPick* const picks[] = {&options.job, &options.compare_to};
  for (const int side : {0, 1}) {
    const priority::JobRow& row = comparison.rows[side].row;
    picks[side]->job_id = inputs.jobs[row.job].job_id;
    if (row.partition >= 0) picks[side]->partition = inputs.source.partitions[row.partition].name;
    if (row.qos >= 0) picks[side]->qos = inputs.source.qos[row.qos].name;
  }
  return options;
}

class RandomComparisons : public testing::Test {
 protected:
  // Which of the two rows of `compared` comes first under other inputs.
  int FirstUnder(const Inputs& changed) const {
    CompareOptions rows = Rows(inputs_, *compared_);
    rows.as_of = changed.as_of;
    return Compare(*changed.Build(), changed.jobs, rows)->first;
  }
  void ExpectTurned(const Inputs& changed) const {
    EXPECT_EQ(FirstUnder(changed), 1 - compared_->first);
  }
  void ExpectNotTurned(const Inputs& changed) const {
    EXPECT_EQ(FirstUnder(changed), compared_->first);
  }
  static void ExpectNotPossible(const OrderChange& change) { EXPECT_FALSE(change.possible); }

  Inputs WithWaiting(absl::Duration wait) const {
    Inputs changed = inputs_;
    // A job without a submit time means now, not later.
    for (priority::Job& job : changed.jobs)
      job.submit_time = job.submit_time.value_or(inputs_.as_of);
    changed.as_of += wait;
    return changed;
  }
  Inputs WithUsage(const OrderChange& change, double kept) const {
    Inputs changed = inputs_;
    changed.ScaleUsage(IdOf(change), kept);
    return changed;
  }
  Inputs WithRawShares(const OrderChange& change, double shares) const {
    Inputs changed = inputs_;
    changed.association(IdOf(change)).raw_shares = static_cast<uint32_t>(shares);
    return changed;
  }
  Inputs WithNice(const OrderChange& change, double nice) const {
    const bool first = change.kind == OrderChangeKind::kRaiseNice;
    const int side = first ? compared_->first : 1 - compared_->first;
    Inputs changed = inputs_;
    changed.jobs[compared_->rows[side].row.job].nice = static_cast<int32_t>(nice);
    return changed;
  }
  int64_t IdOf(const OrderChange& change) const {
    return snapshot_->tree().id()[change.association];
  }

  // Whether F rises steadily with more shares and less usage. In depth-oblivious it
  // need not; where ties are slurmctld's they come and go with the last digit.
  bool Steady() const {
    const priority::Policy& policy = inputs_.source.policy;
    return policy.algorithm != priority::FairShareAlgorithm::kDepthOblivious &&
           policy.fair_tree_ties != priority::FairTreeTies::kSlurm;
  }

  void CheckWaiting(const OrderChange& change);
  void CheckUsage(const OrderChange& change);
  void CheckRawShares(const OrderChange& change);
  void CheckNice(const OrderChange& change);
  void Check(const OrderChange& change);
  void CheckPlace(const Comparison& comparison);

  Inputs inputs_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
  const Comparison* compared_ = nullptr;
  std::map<OrderChangeKind, int> possible_;
  std::map<priority::OrderRule, int> rules_;
  int decayed_ = 0;
};

void RandomComparisons::CheckWaiting(const OrderChange& change) {
  constexpr absl::Duration kLong = absl::Hours(24 * 365);
  if (!change.possible) return ExpectNotTurned(WithWaiting(kLong));
  ExpectTurned(WithWaiting(*change.duration));
  ExpectNotTurned(WithWaiting(*change.duration - absl::Microseconds(1)));
  for (const int minutes : {1, 7, 60, 600, 6000}) {
    ExpectTurned(WithWaiting(*change.duration + absl::Minutes(minutes)));
  }
}

void RandomComparisons::CheckUsage(const OrderChange& change) {
  if (change.association == priority::kNoAssociation) return ExpectNotPossible(change);
  if (!change.possible) {
    for (const double kept : {0.1, 0.5, 0.9}) {
      if (Steady()) ExpectNotTurned(WithUsage(change, kept));
    }
    return ExpectNotTurned(WithUsage(change, 0));
  }
  const double parts = std::round((1 - change.to / change.from) * kParts);
  ExpectTurned(WithUsage(change, (kParts - parts) / kParts));
  ExpectNotTurned(WithUsage(change, (kParts - parts + 1) / kParts));
  if (!change.duration.has_value()) return;
  ++decayed_;
  const auto kept_after = [&](absl::Duration time) {
    return std::exp2(-absl::FDivDuration(time, inputs_.source.policy.half_life));
  };
  ExpectTurned(WithUsage(change, kept_after(*change.duration)));
  ExpectNotTurned(WithUsage(change, kept_after(*change.duration - absl::Seconds(1))));
}

void RandomComparisons::CheckRawShares(const OrderChange& change) {
  if (change.association == priority::kNoAssociation) return ExpectNotPossible(change);
  if (!inputs_.association(IdOf(change)).raw_shares.has_value()) {
    return ExpectNotPossible(change);
  }
  if (!change.possible) {
    for (const double more : {1.0, 10.0, 1000.0, 1e6}) {
      if (Steady()) ExpectNotTurned(WithRawShares(change, change.from + more));
    }
    return ExpectNotTurned(WithRawShares(change, OrderChange::kMostRawShares));
  }
  EXPECT_GT(change.to, change.from);
  ExpectTurned(WithRawShares(change, change.to));
  ExpectNotTurned(WithRawShares(change, change.to - 1));
}

void RandomComparisons::CheckNice(const OrderChange& change) {
  const int step = change.kind == OrderChangeKind::kLowerNice ? -1 : 1;
  if (!change.possible) {
    return ExpectNotTurned(WithNice(change, step * OrderChange::kMostNice));
  }
  ExpectTurned(WithNice(change, change.to));
  ExpectNotTurned(WithNice(change, change.to - step));
}

void RandomComparisons::Check(const OrderChange& change) {
  EXPECT_FALSE(change.sentence.empty());
  possible_[change.kind] += change.possible;
  switch (change.kind) {
    case OrderChangeKind::kWaiting:
      return CheckWaiting(change);
    case OrderChangeKind::kUsage:
      return CheckUsage(change);
    case OrderChangeKind::kRawShares:
      return CheckRawShares(change);
    case OrderChangeKind::kLowerNice:
    case OrderChangeKind::kRaiseNice:
      return CheckNice(change);
  }
}

// The verdict is that of the ranking.
void RandomComparisons::CheckPlace(const Comparison& comparison) {
  priority::RankOptions options;
  options.as_of = inputs_.as_of;
  const priority::Ranking ranking = priority::Rank(*snapshot_, inputs_.jobs, options);
  std::array<uint32_t, 2> ranks = {0, 0};
  for (const priority::RankedRow& ranked : ranking.ranked) {
    for (const int side : {0, 1}) {
      const priority::JobRow& row = comparison.rows[side].row;
      if (ranked.job == row.job && ranked.partition == row.partition && ranked.qos == row.qos) {
        ranks[side] = ranked.rank;
      }
    }
  }
  for (const int side : {0, 1}) EXPECT_EQ(comparison.rows[side].ranked, ranks[side] > 0);
  const int nobody = ranks[0] == 0 && ranks[1] == 0 ? -1 : 0;
  const bool second = ranks[1] > 0 && (ranks[0] == 0 || ranks[1] < ranks[0]);
  EXPECT_EQ(comparison.first, second ? 1 : nobody);
  EXPECT_EQ(comparison.rule == priority::OrderRule::kNone, ranks[0] == 0 || ranks[1] == 0);
}

TEST_F(RandomComparisons, WhatWouldHaveToChangeTurnsTheOrderAndSlightlyLessDoesNot) {
  for (int seed = 0; seed < kQueues && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Draw draw(seed);
    inputs_ = draw.Queue();
    if (inputs_.jobs.size() < 2) continue;
    snapshot_ = inputs_.Build();
    CompareOptions options;
    options.as_of = inputs_.as_of;
    const size_t a = draw.Below(static_cast<int>(inputs_.jobs.size()));
    const size_t b = draw.Below(static_cast<int>(inputs_.jobs.size()));
    if (a == b) continue;
    options.job.job_id = inputs_.jobs[a].job_id;
    options.compare_to.job_id = inputs_.jobs[b].job_id;
    const auto comparison = Compare(*snapshot_, inputs_.jobs, options);
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    compared_ = &*comparison;
    CheckPlace(*comparison);
    ++rules_[comparison->rule];
    for (const OrderChange& change : comparison->changes) {
      SCOPED_TRACE(change.sentence);
      Check(change);
    }
  }
  for (const auto kind :
       {OrderChangeKind::kWaiting, OrderChangeKind::kUsage, OrderChangeKind::kRawShares,
        OrderChangeKind::kLowerNice, OrderChangeKind::kRaiseNice}) {
    EXPECT_GT(possible_[kind], kQueues / 60) << static_cast<int>(kind);
  }
  EXPECT_GT(decayed_, kQueues / 60);
  for (int rule = 0; rule <= static_cast<int>(priority::OrderRule::kJobId); ++rule) {
    EXPECT_GT(rules_[static_cast<priority::OrderRule>(rule)], 0) << rule;
  }
}

}  // namespace
}  // namespace priorityd::explanation
