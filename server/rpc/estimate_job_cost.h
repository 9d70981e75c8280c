// EstimateJobCost.
#ifndef PRIORITYD_SERVER_RPC_ESTIMATE_JOB_COST_H_
#define PRIORITYD_SERVER_RPC_ESTIMATE_JOB_COST_H_

#include <memory>

#include "absl/status/status.h"
#include "priority/v1/budget.pb.h"
#include "server/budgets/running_usage.h"
#include "server/queue/state/queue_state.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// `state`: the tracked queue; `running`: what its jobs may still use. REQUIRES: Validate(request).
// NOT_FOUND (UNKNOWN_JOB): no such job, or none that the caller is shown. FAILED_PRECONDITION
// (INVALID_JOB): it can be charged to nobody, in Slurm's word. Errors of CheckInlineJobs.
absl::Status EstimateJobCost(const Caller& caller, const queue::QueueState& state,
                             const budgets::RunningUsage& running,
                             const ::priority::v1::EstimateJobCostRequest& request,
                             ::priority::v1::EstimateJobCostResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ESTIMATE_JOB_COST_H_
