// The way back after the database's clock was ahead for a while.
#ifndef PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_
#define PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "storage/database.h"
#include "storage/future_store.h"

namespace priorityd::usage {

struct ForgetFutureRequest {
  std::string cluster;
  std::string principal;  // Who, for the audit trail.
};

// Recalculation times never go back. A snapshot that was computed for a time in the future
// therefore holds the cluster there: usage has decayed until then, and new usage counts nothing.
// This sets the snapshot, and all that was written with it, to the database's present time; the
// ledger and the usage rows need no change, since both have times of their own. The next
// recalculation computes the right numbers. Where resets were set back, RebuildUsage has to sum up
// the usage since then.
//
// NOT_FOUND: UNKNOWN_CLUSTER. FAILED_PRECONDITION: CLOCK_IS_MANUAL; SNAPSHOT_NOT_IN_FUTURE.
// UNAVAILABLE, ABORTED the database.
absl::StatusOr<storage::FutureRows> ForgetFuture(storage::Database& database,
                                                 const ForgetFutureRequest& request);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_FORGET_FUTURE_H_
