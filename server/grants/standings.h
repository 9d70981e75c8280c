// What grants leave at a time.
#ifndef PRIORITYD_SERVER_GRANTS_STANDINGS_H_
#define PRIORITYD_SERVER_GRANTS_STANDINGS_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/grants/balance.h"
#include "engine/priority/site/grant_standing.h"
#include "server/budgets/thresholds.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "storage/usage_pool_store.h"

namespace priorityd::grants {

// The windows of each grant of a book up to a time, oldest first; see BalancesOf.
using GrantWindows = std::vector<std::vector<Balance>>;

// `periods`: of each stack of the book. An owner that has not been settled yet has used nothing.
GrantWindows WindowsOf(const GrantBook& book, const StackPeriods& periods,
                       const absl::TimeZone& zone, absl::Time time);

// The owners whose jobs have consequences: for each owner with a grant in force at `time` whose
// last used one has a consequence, what all of them leave. `until`: when a window ends that another
// one follows, else when the last used grant ends. By owner. `windows`: up to `time`.
std::vector<priority::GrantStanding> StandingsOf(const GrantBook& book, const GrantWindows& windows,
                                                 absl::Time time);

// What is used of each grant in force at `time`.
std::vector<budgets::GrantLevel> LevelsOf(const GrantBook& book, const GrantWindows& windows,
                                          absl::Time time);

// As rows, and back. Unknown words become kNone.
std::vector<storage::GrantStanding> ToRows(const std::vector<priority::GrantStanding>& standings);
std::vector<priority::GrantStanding> FromRows(const std::vector<storage::GrantStanding>& rows);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_STANDINGS_H_
