#include "server/budgets/thresholds.h"

#include <utility>

namespace priorityd::budgets {
namespace {

// The relative tolerance for rounding errors.
constexpr double kTolerance = 1e-9;

Threshold ThresholdOf(const priority::Snapshot& snapshot, const Budget& budget, int32_t percent) {
  Threshold threshold;
  threshold.tres = budget.tres;
  threshold.percent = percent;
  if (budget.of_qos()) {
    threshold.qos = snapshot.qos()[budget.qos].name;
    return threshold;
  }
  const priority::AssociationTree& tree = snapshot.tree();
  threshold.account = std::string(tree.account(budget.association));
  threshold.user = std::string(tree.user(budget.association));
  threshold.partition = std::string(tree.partition(budget.association));
  return threshold;
}

Threshold ThresholdOf(const GrantLevel& level, int32_t percent) {
  return {.account = level.account,
          .user = level.user,
          .tres = level.tres,
          .percent = percent,
          .grant = level.grant,
          .grant_window = level.window};
}

// Collects the changes of one limit after the other.
class Changes {
 public:
  explicit Changes(const std::set<Threshold>& reported) : reported_(reported) {}

  // `threshold_of`: the threshold at a percentage.
  template <typename ThresholdAt>
  void Add(double limit, double used, ThresholdAt threshold_of) {
    if (limit <= 0) return;
    for (const int32_t percent : kThresholds) {
      const double at = limit * percent / 100;
      if (used < at / 2) continue;
      Threshold threshold = threshold_of(percent);
      const bool was_reported = reported_.contains(threshold);
      if (!was_reported && used >= at * (1 - kTolerance)) {
        changes_.reached.push_back({threshold, limit, used});
      }
      if (was_reported) stay_.insert(std::move(threshold));
    }
  }

  ThresholdChanges Finish() && {
    for (const Threshold& threshold : reported_) {
      if (!stay_.contains(threshold)) changes_.fallen.push_back(threshold);
    }
    return std::move(changes_);
  }

 private:
  const std::set<Threshold>& reported_;
  std::set<Threshold> stay_;
  ThresholdChanges changes_;
};

}  // namespace

ThresholdChanges FindChanges(const priority::Snapshot& snapshot,
                             const std::vector<GrantLevel>& grants,
                             const std::set<Threshold>& reported) {
  Changes changes(reported);
  for (const Budget& budget : AllBudgets(snapshot)) {
    changes.Add(budget.limit, budget.used,
                [&](int32_t percent) { return ThresholdOf(snapshot, budget, percent); });
  }
  for (const GrantLevel& level : grants) {
    changes.Add(level.available, level.used,
                [&](int32_t percent) { return ThresholdOf(level, percent); });
  }
  return std::move(changes).Finish();
}

}  // namespace priorityd::budgets
