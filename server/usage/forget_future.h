// Recovery after the database's clock was ahead for a while.
#ifndef PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_
#define PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "storage/database/database.h"
#include "storage/schema/future_store.h"

namespace priorityd::usage {

struct ForgetFutureRequest {
  std::string cluster;
  std::string principal;  // For the audit trail.
};

// Recalculation times never go back, so a snapshot for a future time holds the cluster there: usage
// has decayed until then, and new usage does not count. This sets the snapshot, and everything
// written with it, to the database's present time. The ledger and the usage rows have their own
// times and need no change. The next recalculation computes the right numbers. If resets were moved
// back, run RebuildUsage to sum up the usage since then.
//
// NOT_FOUND: UNKNOWN_CLUSTER. FAILED_PRECONDITION: CLOCK_IS_MANUAL; SNAPSHOT_NOT_IN_FUTURE.
// UNAVAILABLE, ABORTED the database.
absl::StatusOr<storage::FutureRows> ForgetFuture(storage::Database& database,
                                                 const ForgetFutureRequest& request);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_
