// Rolls up what a policy no longer keeps record by record.
#ifndef PRIORITYD_SERVER_USAGE_ROLL_UP_H_
#define PRIORITYD_SERVER_USAGE_ROLL_UP_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database.h"

namespace priorityd::usage {

struct RollUpRequest {
  std::string cluster;
  // All that ends before it is known to be rolled up: with the horizon still there,
  // nothing is looked for.
  absl::Time done_before = absl::InfinitePast();
  int64_t max_records = 20'000;  // Of one transaction.
  // On the real clock the horizon follows no time later than this.
  absl::Time now = absl::InfiniteFuture();
};

struct RollUpResult {
  // That of the cluster; InfinitePast() = everything is kept.
  absl::Time horizon = absl::InfinitePast();
  bool horizon_moved = false;
  int64_t records = 0;  // That left the ledger.
  int64_t buckets = 0;  // That were filled, each time counted.
  // False if `may_continue` ended it, or another server is at it.
  bool complete = false;
};

// Asked after each transaction: whether another one may follow.
using MayContinue = absl::FunctionRef<bool()>;

// Moves the cluster's horizon to where the policy of the last recalculation wants
// it at the time of that recalculation, or request.now (see LedgerHorizon), never back, with an
// audit event; then moves all records that end before it into hourly buckets, in small
// transactions, between which usage is recorded. Usage rows stay as they are. Killed at
// any point, every record is in the ledger or in its buckets, and the next call does the
// rest. Does nothing before the first recalculation.
//
// NOT_FOUND no such cluster; INTERNAL a stored policy that can no longer be read;
// the database's errors.
absl::StatusOr<RollUpResult> RollUp(storage::Database& database, const RollUpRequest& request,
                                    MayContinue may_continue);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_ROLL_UP_H_
