// Grants to be tried, of a file.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_GRANTS_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_GRANTS_TEXT_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/grants/price_book.h"
#include "engine/laboratory/grant_ledger.h"
#include "engine/laboratory/history.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::replay {

inline constexpr size_t kMostTriedGrants = 1000;
inline constexpr size_t kMostTriedTransfers = 1000;

// A line for each: `NAME SETTING=VALUE...`, in the words of `grant create`, and for an amount that
// is moved `transfer FROM TO AMOUNT [TIME]`, between grants of any lines; empty lines, and those
// that begin with #, are skipped. `begin`: of the history, for which `now` stands, the default of
// TIME. A transfer to or from a window is in the transfers of both grants. INVALID_ARGUMENT names
// file and line: also for an account, a user or a QOS that the site does not have, a name that is
// there twice, a rolling grant beside another one of its owner, a transfer between other grants
// than two of one TRES that are in force at its time, a price book that `prices` does not have, and
// more than kMostTriedGrants or kMostTriedTransfers; the file alone, if it has no grants.
absl::StatusOr<std::vector<laboratory::TriedGrant>> ReadGrants(const slurm::SourceFile& file,
                                                               const laboratory::Site& site,
                                                               const grants::PriceBooks& prices,
                                                               const absl::TimeZone& zone,
                                                               absl::Time begin);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_GRANTS_TEXT_H_
