// Deletes data with a limited retention.
#ifndef PRIORITYD_SERVER_USAGE_EXPIRY_H_
#define PRIORITYD_SERVER_USAGE_EXPIRY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/usage/roll_up.h"
#include "storage/database/database.h"

namespace priorityd::usage {

// Ages before the time of the last recalculation; those of audit events, which have real times,
// also before the database's present: no manual clock and no clock that is ahead deletes a younger
// one.
inline constexpr absl::Duration kSnapshotsKept = absl::Hours(24 * 30);
inline constexpr absl::Duration kAuditEventsKept = absl::Hours(24 * 365 * 3);
// A day longer than kLongestUnknownRun, so that no run is charged twice. Also kept until the
// ledger's horizon has passed them, so that a repeated report of an old run is recognized.
inline constexpr absl::Duration kRunningJobsKept = absl::Hours(24 * 367);

struct ExpiryResult {
  int64_t snapshots = 0;
  int64_t audit_events = 0;
  int64_t running_jobs = 0;    // No longer reported.
  int64_t job_accounting = 0;  // Of rolled up records.
  int64_t job_ends = 0;        // Charged runs whose records are rolled up.
  // False if `may_continue` ended it.
  bool complete = false;
};

// Deletes the cluster's expired rows in small transactions: the times of published snapshots, audit
// events, the last counters of jobs, and the job accounting and charged runs of records before the
// ledger's horizon.
// Does nothing before the first recalculation. NOT_FOUND no such cluster; the database's errors.
absl::StatusOr<ExpiryResult> DeleteExpired(storage::Database& database, const std::string& cluster,
                                           MayContinue may_continue, int64_t rows_at_once = 1000);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_EXPIRY_H_
