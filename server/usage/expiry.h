// Deletes what is kept for a time only.
#ifndef PRIORITYD_SERVER_USAGE_EXPIRY_H_
#define PRIORITYD_SERVER_USAGE_EXPIRY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/usage/roll_up.h"
#include "storage/database.h"

namespace priorityd::usage {

// Before the time of the last recalculation.
inline constexpr absl::Duration kSnapshotsKept = absl::Hours(24 * 30);
inline constexpr absl::Duration kAuditEventsKept = absl::Hours(24 * 365 * 3);
// A day more than kLongestUnknownRun, so that no run is charged twice; and until the ledger's
// horizon is past them, so that whoever tells of an old run again is known to have told of it.
inline constexpr absl::Duration kRunningJobsKept = absl::Hours(24 * 367);

struct ExpiryResult {
  int64_t snapshots = 0;
  int64_t audit_events = 0;
  int64_t running_jobs = 0;    // That were not told of any more.
  int64_t job_accounting = 0;  // Of records that are rolled up.
  // False if `may_continue` ended it.
  bool complete = false;
};

// Deletes rows of the cluster that are past their age, in small transactions; which snapshot
// was published when, who changed what, the last counters of jobs, and what records before the
// ledger's horizon told of their jobs. Does nothing before
// the first recalculation. NOT_FOUND no such cluster; the database's errors.
absl::StatusOr<ExpiryResult> DeleteExpired(storage::Database& database, const std::string& cluster,
                                           MayContinue may_continue, int64_t rows_at_once = 1000);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_EXPIRY_H_
