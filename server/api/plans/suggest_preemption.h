// SuggestPreemption: the jobs that a waiting job would preempt.
#ifndef PRIORITYD_SERVER_API_PLANS_SUGGEST_PREEMPTION_H_
#define PRIORITYD_SERVER_API_PLANS_SUGGEST_PREEMPTION_H_

#include "absl/status/status.h"
#include "engine/scheduling/planned_queue.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::rpc {

// On the described nodes; the description of the request is not read. REQUIRES: the request is
// valid, the caller may see all jobs. NOT_FOUND: unknown job.
// FAILED_PRECONDITION (JOB_RUNNING): the job is running. INVALID_ARGUMENT as
// ToDescribedCluster.
absl::Status SuggestPreemption(const scheduling::PlannedQueue& queue,
                               const ::priority::v1::ClusterDescription& description,
                               const ::priority::v1::SuggestPreemptionRequest& request,
                               ::priority::v1::SuggestPreemptionResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_SUGGEST_PREEMPTION_H_
