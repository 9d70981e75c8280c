// VoidUsage and RestoreUsage: records taken out of what counts, and put back.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_VOID_H_
#define PRIORITYD_SERVER_USAGE_USAGE_VOID_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database.h"
#include "storage/usage_void_store.h"

namespace priorityd::usage {

// Records of one transaction, and about so many of one call, which answers with what is left.
inline constexpr int64_t kVoidBatch = 5000;
inline constexpr int64_t kVoidRound = 50'000;

struct VoidRequest {
  std::string cluster;
  std::string principal;       // Who, for the audit trail.
  std::string comment;         // Why.
  int64_t void_id = 0;         // Goes on with that void; 0 = a new one,
  storage::VoidFilter filter;  // of what fits this.
};

// What would be voided of an account, without those below it.
struct VoidedUsage {
  int64_t records = 0;
  double usage = 0;          // Billing seconds times UsageFactor, not decayed.
  double decayed_usage = 0;  // The part of it that still counts.
};

struct VoidPreview {
  int64_t records = 0;
  int64_t rolled_up = 0;                      // See UsageVoidStore::CountRolledUp; they stay.
  absl::Time horizon = absl::InfinitePast();  // Records that ended before it are rolled up.
  std::map<std::string, VoidedUsage> accounts;
};

// What a void would take out, as of the last recalculation; changes nothing. NOT_FOUND
// (UNKNOWN_CLUSTER); UNAVAILABLE the database.
absl::StatusOr<VoidPreview> PreviewVoid(storage::Database& database, const VoidRequest& request);

// Replaces every record that fits, counts and is not rolled up by one that uses nothing: usage of
// associations and QOS, limits, budgets and reports are then as if it had never been recorded, and
// a resend of it is a duplicate. One round of batches; each is atomic with the void's progress, so
// whoever goes on with a void after any failure voids nothing twice. Done when the state is
// `voided`. The audit has its begin and its end.
//
// NOT_FOUND (UNKNOWN_CLUSTER, UNKNOWN_VOID); FAILED_PRECONDITION (VOID_RESTORED) for a void that is
// being restored; UNAVAILABLE the database.
absl::StatusOr<storage::UsageVoid> VoidUsage(storage::Database& database,
                                             const VoidRequest& request);

// Puts back what void `request.void_id` took out, by records of the same content and price, but for
// what was rolled up since. In rounds likewise; done when the state is `restored`. A void that has
// not come to its end is restored as far as it came, and goes no further.
absl::StatusOr<storage::UsageVoid> RestoreUsage(storage::Database& database,
                                                const VoidRequest& request);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_VOID_H_
