// The thresholds of budgets that usage has reached, and changes since the last report.
#ifndef PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_
#define PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/budget.h"

namespace priorityd::budgets {

// In percent, ascending.
inline constexpr int32_t kThresholds[] = {50, 80, 100};

// A threshold of a budget, by names: an association or QOS that is deleted and created again has
// the same thresholds.
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
  std::vector<ReachedThreshold> reached;  // To be reported now.
  std::vector<Threshold> fallen;          // Reported earlier; reported again when reached again.
};

// `reported`: the thresholds that were reported and have not fallen since. A threshold falls when
// usage is below half of it or its budget is deleted, so that usage which oscillates around it is
// reported once. A limit of 0 has no thresholds.
ThresholdChanges FindChanges(const priority::Snapshot& snapshot,
                             const std::set<Threshold>& reported);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_
