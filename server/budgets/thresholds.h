// The thresholds of budgets and grants that usage has reached, and changes since the last report.
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

// A threshold of a budget, or of a grant of an account or user, by names: an association or QOS
// that is deleted and created again has the same thresholds.
struct Threshold {
  std::string account;
  std::string user;
  std::string partition;
  std::string qos;
  std::string tres;  // Empty = GrpWall.
  int32_t percent = 0;
  std::string grant;         // Empty = of a limit.
  std::string grant_window;  // As GrantLevel.

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

// The used part of the present window of a grant.
struct GrantLevel {
  std::string grant;
  std::string window;   // Identifies the window and the amount that was granted for it.
  std::string account;  // Empty = several.
  std::string user;
  std::string tres;
  double available = 0;  // TRES-seconds.
  double used = 0;
};

// `reported`: the thresholds that were reported and have not fallen since. A threshold falls when
// usage is below half of it or its budget is deleted, so that usage which oscillates around it is
// reported once. A limit of 0 has no thresholds.
ThresholdChanges FindChanges(const priority::Snapshot& snapshot,
                             const std::vector<GrantLevel>& grants,
                             const std::set<Threshold>& reported);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_THRESHOLDS_H_
