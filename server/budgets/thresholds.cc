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

}  // namespace

ThresholdChanges FindChanges(const priority::Snapshot& snapshot,
                             const std::set<Threshold>& reported) {
  ThresholdChanges changes;
  std::set<Threshold> stay;
  for (const Budget& budget : AllBudgets(snapshot)) {
    if (budget.limit <= 0) continue;
    for (const int32_t percent : kThresholds) {
      const double at = budget.limit * percent / 100;
      if (budget.used < at / 2) continue;
      Threshold threshold = ThresholdOf(snapshot, budget, percent);
      const bool was_reported = reported.contains(threshold);
      if (!was_reported && budget.used >= at * (1 - kTolerance)) {
        changes.reached.push_back({threshold, budget.limit, budget.used});
      }
      if (was_reported) stay.insert(std::move(threshold));
    }
  }
  for (const Threshold& threshold : reported) {
    if (!stay.contains(threshold)) changes.fallen.push_back(threshold);
  }
  return changes;
}

}  // namespace priorityd::budgets
