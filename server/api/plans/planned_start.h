// ExplainPriority's planned_start: the planned start of a tracked job.
#ifndef PRIORITYD_SERVER_API_PLANS_PLANNED_START_H_
#define PRIORITYD_SERVER_API_PLANS_PLANNED_START_H_

#include <memory>

#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "priority/v1/plan.pb.h"
#include "server/queue/state/queue_state.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// Sets planned_start of the explanation of a job of `state` to the result of PlanStarts on
// `nodes` with the options of the policy. Leaves it unset for a job that may not start, is running,
// is too far back in the start order, or is in a partition without described nodes.
void SetPlannedStart(const Caller& caller, const std::shared_ptr<const queue::QueueState>& state,
                     absl::Time as_of, const ::priority::v1::ClusterDescription& nodes,
                     ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_PLANNED_START_H_
