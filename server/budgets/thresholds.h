// Which parts of a budget usage has reached, and which of them are new.
#ifndef PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_
#define PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "server/budgets/budget.h"
#include "server/priority/snapshot.h"

namespace priorityd::budgets {

// In percent, ascending.
inline constexpr int32_t kThresholds[] = {50, 80, 100};

// A part of a budget, by names: an association or QOS that is deleted and made anew has the same.
struct Threshold {
  std::string account;
  std::string user;
  std::string partition;
  std::string qos;
  std::string tres;  // Empty = GrpWall.
  int32_t percent = 0;

  friend auto operator<=>(const Threshold&, const Threshold&) = default;
};

struct ReachedThreshold {
  Threshold threshold;
  double limit = 0;  // As in Budget.
  double used = 0;
};

struct ThresholdChanges {
  std::vector<ReachedThreshold> reached;  // To be told now.
  std::vector<Threshold> fallen;          // Told before; will be told again when they are reached.
};

// `told`: what was told and has not fallen since. A threshold falls when usage is below half of it,
// or its budget is no more, so that usage which goes up and down around it is told once. A limit of
// 0 has no parts.
ThresholdChanges FindChanges(const priority::Snapshot& snapshot, const std::set<Threshold>& told);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_
