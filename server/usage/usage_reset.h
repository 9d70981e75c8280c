// ResetUsage: usage of an association so far no longer counts.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RESET_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RESET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::usage {

struct ResetRequest {
  std::string cluster;
  std::string account;
  std::string user;       // Empty = the account and all below it.
  std::string partition;  // Empty = the user's association without one.
  std::string comment;
  std::string principal;       // For the audit trail.
  absl::Time now;              // By the real clock.
  bool validate_only = false;  // Return what would be reset without changing anything.
};

struct ResetResult {
  absl::Time reset_at;
  int64_t associations = 0;  // Including deleted ones below an account.
};

// Writes an event to the ledger for every association: parts of records before the event count 0
// from now on, in rows, in late records and in rebuilds; opening usage ends. The event's time is
// now on the real clock, the last recalculation's on a manual clock. QOS usage stays. Takes effect
// at the next recalculation.
//
// NOT_FOUND: UNKNOWN_CLUSTER, UNKNOWN_ASSOCIATION. FAILED_PRECONDITION
// (NO_SNAPSHOT): a manual clock that was never set. UNAVAILABLE, ABORTED the
// database.
absl::StatusOr<ResetResult> ResetUsage(storage::Database& database, const ResetRequest& request);

// The same for the associations `tops`, in a transaction that has locked the cluster, without an
// audit event. `check_only`: changes nothing.
absl::StatusOr<ResetResult> ResetUsageOf(storage::Transaction& transaction,
                                         const std::string& cluster,
                                         const std::vector<int64_t>& tops, absl::Time now,
                                         bool check_only);

// Stores the QOS `all` and resets their usage; associations keep theirs.
absl::Status ResetUsageOfQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                             std::vector<storage::Qos> all, absl::Time now);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RESET_H_
