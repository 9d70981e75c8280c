// Rolls up records that the policy no longer keeps individually.
#ifndef PRIORITYD_SERVER_USAGE_ROLL_UP_H_
#define PRIORITYD_SERVER_USAGE_ROLL_UP_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/database.h"

namespace priorityd::usage {

struct RollUpRequest {
  std::string cluster;
  // Everything that ends before this is rolled up: if the horizon is still there, nothing is read.
  absl::Time done_before = absl::InfinitePast();
  int64_t max_records = 20'000;  // Maximum per transaction.
  // On the real clock, the horizon is computed for at most this time.
  absl::Time now = absl::InfiniteFuture();
};

struct RollUpResult {
  // The cluster's horizon; InfinitePast() = everything is kept.
  absl::Time horizon = absl::InfinitePast();
  bool horizon_moved = false;
  int64_t records = 0;  // Records moved out of the ledger.
  int64_t buckets = 0;  // Bucket writes; a bucket written twice counts twice.
  // False if `may_continue` ended it, or another replica is rolling up.
  bool complete = false;
};

// Called after each transaction: whether another one may follow.
using MayContinue = absl::FunctionRef<bool()>;

// Moves the cluster's horizon, never back, to the one of the last recalculation's policy at that
// recalculation's time or request.now (see LedgerHorizon), with an audit event. Then moves all
// records that end before it into hourly buckets, in small transactions between which usage can be
// recorded. Usage rows stay unchanged. After a crash at any point, every record is in the ledger or
// in its buckets, and the next call does the rest. Does nothing before the first recalculation.
// NOT_FOUND for an unknown cluster; INTERNAL for an invalid stored policy; errors of the database.
absl::StatusOr<RollUpResult> RollUp(storage::Database& database, const RollUpRequest& request,
                                    MayContinue may_continue);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_ROLL_UP_H_
