// The standings of grants at a time.
#ifndef PRIORITYD_SERVER_GRANTS_STANDINGS_H_
#define PRIORITYD_SERVER_GRANTS_STANDINGS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/balance.h"
#include "engine/priority/site/grant_standing.h"
#include "server/budgets/thresholds.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "storage/grants/usage_pool_store.h"

namespace priorityd::grants {

// The windows of each grant of a book up to a time, oldest first; see BalancesOf.
using GrantWindows = std::vector<std::vector<Balance>>;

// `periods`: of each stack of the book. An owner that has not been settled yet has used nothing.
GrantWindows WindowsOf(const GrantBook& book, const StackPeriods& periods,
                       const absl::TimeZone& zone, absl::Time time);

// Sets the windows of one stack alone; `windows` has a place for each grant of the book.
void WindowsOfStack(const Stack& stack, absl::Span<const Period> periods,
                    const absl::TimeZone& zone, absl::Time time, GrantWindows* windows);

// The standings, by owner, of the grants in force at `time`: the amount that all grants of the
// owner leave, with the consequence of the last used one. `until`: the end of a window that another
// one follows, otherwise the end of the last used grant. `windows`: up to `time`.
std::vector<priority::GrantStanding> StandingsOf(const GrantBook& book, const GrantWindows& windows,
                                                 absl::Time time);

// The standing of one stack of the book. `windows`: those of the stack must be set.
std::optional<priority::GrantStanding> StandingOf(const GrantBook& book, const Stack& stack,
                                                  const GrantWindows& windows, absl::Time time);

// The used part of a grant, if it is in force at `time`. `windows`: those of the grant.
std::optional<budgets::GrantLevel> LevelOf(const StoredGrant& stored,
                                           const std::vector<Balance>& windows, absl::Time time);

// A standing as a row, and rows as standings. INTERNAL names a grant whose consequence cannot be
// read.
storage::GrantStanding ToRow(const priority::GrantStanding& standing, size_t place);
absl::StatusOr<std::vector<priority::GrantStanding>> FromRows(
    const std::vector<storage::GrantStanding>& rows);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_STANDINGS_H_
