// VoidUsage and RestoreUsage: make records not count, and count again.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_VOID_H_
#define PRIORITYD_SERVER_USAGE_USAGE_VOID_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/database.h"
#include "storage/ledger/usage_void_store.h"

namespace priorityd::usage {

// Maximum records of one transaction, and approximate records of one call, which returns the rest.
inline constexpr int64_t kVoidBatch = 5000;
inline constexpr int64_t kVoidRound = 50'000;

struct VoidRequest {
  std::string cluster;
  std::string principal;       // For the audit trail.
  std::string comment;         // The reason.
  int64_t void_id = 0;         // Continue this void; 0 = a new one
  storage::VoidFilter filter;  // of the records that match.
};

// The usage of an account that would be voided, without accounts below it.
struct VoidedUsage {
  int64_t records = 0;
  double usage = 0;          // Billing seconds times UsageFactor, not decayed.
  double decayed_usage = 0;  // The part that still counts.
};

struct VoidPreview {
  int64_t records = 0;
  int64_t rolled_up = 0;                      // See UsageVoidStore::CountRolledUp; they stay.
  absl::Time horizon = absl::InfinitePast();  // Records that ended before it are rolled up.
  std::map<std::string, VoidedUsage> accounts;
};

// The effect of a void as of the last recalculation; changes nothing. NOT_FOUND (UNKNOWN_CLUSTER);
// UNAVAILABLE the database.
absl::StatusOr<VoidPreview> PreviewVoid(storage::Database& database, const VoidRequest& request);

// Replaces every matching record that counts and is not rolled up by one without usage: usage of
// associations and QOS, limits, budgets and reports are then as if it had never been recorded, and
// a resend is a duplicate. Runs one round of batches; each is atomic with the void's progress, so
// continuing after a failure voids nothing twice. Done when the state is `voided`. The audit
// records start and end. If no record matches, no void is made: the answer has id 0.
//
// NOT_FOUND (UNKNOWN_CLUSTER, UNKNOWN_VOID); FAILED_PRECONDITION (VOID_RESTORED) for a void that is
// being restored; UNAVAILABLE the database.
absl::StatusOr<storage::UsageVoid> VoidUsage(storage::Database& database,
                                             const VoidRequest& request);

// Restores the records of void `request.void_id` by records of the same content and price, except
// those rolled up since. Runs in rounds too; done when the state is `restored`. An unfinished void
// is restored as far as it got, and ends.
absl::StatusOr<storage::UsageVoid> RestoreUsage(storage::Database& database,
                                                const VoidRequest& request);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_VOID_H_
