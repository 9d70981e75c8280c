// Simulate: ranks one queue twice.
#ifndef PRIORITYD_SERVER_API_SIMULATION_SIMULATE_H_
#define PRIORITYD_SERVER_API_SIMULATION_SIMULATE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/simulation.pb.h"
#include "server/forecasts/book.h"
#include "server/forecasts/queue_plans.h"
#include "server/queue/state/queue_state.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// The present state for the comparison.
struct Present {
  std::shared_ptr<const priority::Snapshot> snapshot;
  // The tracked queue for `snapshot`; null = the request's jobs are ranked.
  std::shared_ptr<const queue::QueueState> queue;
  // By the cluster's clock: the default of as_of.
  absl::Time now;
  absl::Time real_now;
  forecasts::Book* book = nullptr;  // Null = no places are forecast.
  forecasts::PlanSource plans;      // For these forecasts.
};

// Answers a valid request. Changes neither the database nor the state that rankings read. Errors of
// simulation::Suppose; INVALID_ARGUMENT: `later` before as_of; FAILED_PRECONDITION
// (TIME_GOES_BACK): the hypothetical time is before the last recalculation. Returns only rows of
// the tracked queue that the caller may see; PERMISSION_DENIED (ROLE_REQUIRED) if a supposition or
// an inline job concerns an association whose shares are hidden.
absl::Status Simulate(storage::Database& database, const Caller& caller, const Present& present,
                      const ::priority::v1::SimulateRequest& request,
                      ::priority::v1::SimulateResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SIMULATION_SIMULATE_H_
