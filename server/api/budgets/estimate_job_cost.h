// EstimateJobCost.
#ifndef PRIORITYD_SERVER_API_BUDGETS_ESTIMATE_JOB_COST_H_
#define PRIORITYD_SERVER_API_BUDGETS_ESTIMATE_JOB_COST_H_

#include <memory>

#include "absl/status/status.h"
#include "priority/v1/budget.pb.h"
#include "server/budgets/running_usage.h"
#include "server/queue/state/queue_state.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// `state`: the tracked queue; `running`: the remaining usage of its running jobs; `database`: is
// read if a grant of money is in force. REQUIRES: Validate(request). NOT_FOUND (UNKNOWN_JOB): the
// job is missing or hidden from the caller. FAILED_PRECONDITION (INVALID_JOB): no association can
// be charged, with Slurm's reason. Errors of CheckInlineJobs.
absl::Status EstimateJobCost(const Caller& caller, const queue::QueueState& state,
                             const budgets::RunningUsage& running, storage::Database& database,
                             const ::priority::v1::EstimateJobCostRequest& request,
                             ::priority::v1::EstimateJobCostResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_ESTIMATE_JOB_COST_H_
