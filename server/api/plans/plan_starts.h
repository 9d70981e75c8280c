// PlanStarts: plans the start order on the described nodes.
#ifndef PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_
#define PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_

#include "absl/status/status.h"
#include "engine/scheduling/planned_queue.h"
#include "priority/v1/plan.pb.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// Plans all jobs and returns those that the caller may see. REQUIRES: the request is valid.
// INVALID_ARGUMENT as ToDescribedCluster.
absl::Status PlanStarts(const Caller& caller, const scheduling::PlannedQueue& queue,
                        const ::priority::v1::PlanStartsRequest& request,
                        ::priority::v1::PlanStartsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_
