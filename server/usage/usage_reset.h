// ResetUsage: what an association used so far no longer counts.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RESET_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RESET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/cluster_store.h"
#include "storage/database.h"
#include "storage/qos_store.h"
#include "storage/transaction.h"

namespace priorityd::usage {

struct ResetRequest {
  std::string cluster;
  std::string account;
  std::string user;       // Empty = the account and all below it.
  std::string partition;  // Empty = the user's association without one.
  std::string comment;
  std::string principal;       // Who, for the audit trail.
  absl::Time now;              // By the real clock.
  bool validate_only = false;  // Tell what would be reset, change nothing.
};

struct ResetResult {
  absl::Time reset_at;
  int64_t associations = 0;  // Deleted ones below an account too.
};

// Writes an event to the ledger for every association: parts of records before it
// count 0 from now on, in rows, in late records and in rebuilds; opening usage
// ends. On the real clock it is of now, on a manual one of the last
// recalculation. QOS usage stays. Takes effect at the next recalculation.
//
// NOT_FOUND: UNKNOWN_CLUSTER, UNKNOWN_ASSOCIATION. FAILED_PRECONDITION
// (NO_SNAPSHOT): a manual clock that was never set. UNAVAILABLE, ABORTED the
// database.
absl::StatusOr<ResetResult> ResetUsage(storage::Database& database, const ResetRequest& request);

// The same of the associations `tops`, within a transaction that has the cluster locked, and
// without an audit row. `check_only`: changes nothing.
absl::StatusOr<ResetResult> ResetUsageOf(storage::Transaction& transaction,
                                         const std::string& cluster,
                                         const std::vector<int64_t>& tops, absl::Time now,
                                         bool check_only);

// Stores `all`, and resets what jobs under them used; associations keep it.
absl::Status ResetUsageOfQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                             std::vector<storage::Qos> all, absl::Time now);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RESET_H_
