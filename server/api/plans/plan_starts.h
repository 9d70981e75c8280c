// PlanStarts: plans the start order on the described nodes.
#ifndef PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_
#define PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_

#include "absl/status/status.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/planned_queue.h"
#include "priority/v1/plan.pb.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// The rows that the plan of a request needs: more where limits can hold jobs that are ranked before
// others. Options that the request does not set are the policy's.
priority::RankOptions RankOptionsOf(const ::priority::v1::PlanStartsRequest& request,
                                    const priority::Snapshot& snapshot);

// Plans all jobs on the described nodes, with the options of the request, else of the policy, and
// returns those that the caller may see. The description of the request is not read. REQUIRES: the
// request is valid. INVALID_ARGUMENT as ToDescribedCluster.
absl::Status PlanStarts(const Caller& caller, const scheduling::PlannedQueue& queue,
                        const ::priority::v1::ClusterDescription& description,
                        const ::priority::v1::PlanStartsRequest& request,
                        ::priority::v1::PlanStartsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_PLAN_STARTS_H_
