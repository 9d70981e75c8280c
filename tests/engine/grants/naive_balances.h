// Grants by their definitions: days one by one, and every window from the first one again for each
// question. Slow.
#ifndef PRIORITYD_TESTS_ENGINE_GRANTS_NAIVE_BALANCES_H_
#define PRIORITYD_TESTS_ENGINE_GRANTS_NAIVE_BALANCES_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/grants/balance.h"
#include "engine/grants/grant.h"
#include "engine/grants/windows.h"

namespace priorityd::grants {

// As WindowsOf, and the window after them; for kRolling the days.
std::vector<Window> NaiveWindows(const Grant& grant, const absl::TimeZone& zone, absl::Time now);

// As BalancesOf.
std::vector<std::vector<Balance>> NaiveBalances(const std::vector<Grant>& stack,
                                                const std::vector<Period>& periods,
                                                const absl::TimeZone& zone, absl::Time now);

}  // namespace priorityd::grants

#endif  // PRIORITYD_TESTS_ENGINE_GRANTS_NAIVE_BALANCES_H_
