// The balances of grants, by their windows.
#ifndef PRIORITYD_ENGINE_GRANTS_BALANCE_H_
#define PRIORITYD_ENGINE_GRANTS_BALANCE_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/amount.h"
#include "engine/grants/grant.h"

namespace priorityd::grants {

// Usage of an owner in a time: the integral of the ledger over it.
struct Period {
  absl::Time begin;
  absl::Time end;  // After `begin`.
  Amount used;

  friend bool operator==(const Period&, const Period&) = default;
};

// A window of a grant. Amounts are at least 0, except `transferred`, and those that follow from it
// or from what was borrowed: `available()` is below 0 if more was taken from the window than it
// had, and what is below 0 is then overdrawn as usage is.
struct Balance {
  absl::Time begin;
  absl::Time end;
  Amount granted;      // By the version of the window.
  Amount carried;      // From earlier windows.
  Amount repaid;       // The amount that the window before borrowed from it.
  Amount transferred;  // By transfers.
  Amount used;         // The usage that counts against this grant.
  Amount beyond;       // The most that can be borrowed from the next window, and the grace.

  Amount available() const { return granted + carried - repaid + transferred; }
  Amount left() const { return available() - used; }  // Below 0 = overdrawn.
  // Whether nothing may be used any more.
  bool exhausted() const { return left() + beyond <= Amount(); }

  friend bool operator==(const Balance&, const Balance&) = default;
};

// The times at which a window of one of the grants begins or ends, ascending and distinct, up to
// and including the first one after `now`; for kRolling each midnight. InfiniteFuture() is never
// one.
std::vector<absl::Time> BoundariesOf(absl::Span<const Grant> stack, const absl::TimeZone& zone,
                                     absl::Time now);

// The windows that begin at or before `now`, oldest first, of each grant in the order of `stack`;
// of a rolling grant only the last one.
//
// `stack`: all grants of one owner and TRES, in any order; a rolling grant is alone in its stack.
// `periods`: the usage of the owner, consecutive and ascending; one begins at each of BoundariesOf,
// and what lies before the first counts as 0. The usage of a period counts against the grants that
// cover it, in their order: first as far as something is left of each, then as far as each may go
// beyond, and what remains against the last one; against none where no grant covers it. So the
// result depends only on how much was used in each period, not on the order of records. Periods may
// be split further; those that begin after `now` are ignored. The time is in proportion to the
// windows, periods, versions and transfers; it is that of periods times grants for a stack, and of
// windows times what is carried (CarriedLots) where a part is carried over.
std::vector<std::vector<Balance>> BalancesOf(absl::Span<const Grant> stack,
                                             absl::Span<const Period> periods,
                                             const absl::TimeZone& zone, absl::Time now);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_BALANCE_H_
