// Simulate: one queue ranked twice.
#ifndef PRIORITYD_SERVER_RPC_SIMULATE_H_
#define PRIORITYD_SERVER_RPC_SIMULATE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/simulation.pb.h"
#include "server/priority/snapshot.h"
#include "server/queue/state/queue_state.h"
#include "server/rpc/caller.h"
#include "storage/database.h"

namespace priorityd::rpc {

// The present that is compared with.
struct Present {
  std::shared_ptr<const priority::Snapshot> snapshot;
  // The tracked queue for `snapshot`; null = the request's jobs are ranked.
  std::shared_ptr<const queue::QueueState> queue;
  // On the cluster's clock: what as_of is by default.
  absl::Time now;
  absl::Time real_now;
};

// Answers a request that Validate found good. Neither the database nor what ranking
// reads is changed. Errors of simulation::Suppose; INVALID_ARGUMENT: `later` before
// as_of; FAILED_PRECONDITION (TIME_GOES_BACK): the time supposed is before the last
// recalculation.
// Of the tracked queue only the rows that the caller is shown; PERMISSION_DENIED (ROLE_REQUIRED)
// where what is supposed, or an inline job, is of an association whose shares she is not.
absl::Status Simulate(storage::Database& database, const Caller& caller, const Present& present,
                      const ::priority::v1::SimulateRequest& request,
                      ::priority::v1::SimulateResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SIMULATE_H_
