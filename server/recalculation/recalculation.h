// One recalculation of one cluster.
#ifndef PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_
#define PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/recalculation_input.h"
#include "storage/database.h"

namespace priorityd::recalculation {

// Reads the cluster's state as of one moment, decays its usage to T, computes
// fair-share, and writes down the new generation and, where the policy's
// half-life is another one, the half-life timeline.
//
// T is never before that of the last recalculation: on the real clock it is
// `now` or that, whichever is later.
//
// FAILED_PRECONDITION: as_of on a real clock (CLOCK_IS_REAL), before the last
// recalculation (TIME_GOES_BACK), missing at the first one on a manual clock
// (AS_OF_NEEDED). NOT_FOUND: no such cluster. ABORTED: another recalculation or a
// change of policy came between; try again. UNAVAILABLE: the database.
absl::StatusOr<std::shared_ptr<const Snapshot>> Recalculate(storage::Database& database,
                                                            const std::string& cluster,
                                                            const RecalculationTime& time);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_RECALCULATION_H_
