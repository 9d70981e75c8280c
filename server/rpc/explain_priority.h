// ExplainPriority: why a job of the caller's has the priority it has.
#ifndef PRIORITYD_SERVER_RPC_EXPLAIN_PRIORITY_H_
#define PRIORITYD_SERVER_RPC_EXPLAIN_PRIORITY_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/explanation.pb.h"
#include "server/priority/snapshot.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/queue_state.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// Of the jobs that came with the request. REQUIRES: the request is valid. Errors of
// explanation::Explain and Compare, NOT_FOUND with UNKNOWN_JOB; PERMISSION_DENIED as
// CheckInlineJobs.
absl::Status ExplainInline(const Caller& caller, const priority::Snapshot& snapshot,
                           absl::Time as_of, const ::priority::v1::ExplainPriorityRequest& request,
                           ::priority::v1::ExplainPriorityResponse* response);

// Of the tracked queue. A job that the caller is not shown is not there: NOT_FOUND
// (UNKNOWN_JOB). PERMISSION_DENIED (ROLE_REQUIRED) for one that she is shown, but not the shares of
// its association.
absl::Status ExplainTracked(const Caller& caller, queue::TrackedQueues& queues,
                            std::shared_ptr<const queue::QueueState> state, absl::Time as_of,
                            const ::priority::v1::ExplainPriorityRequest& request,
                            ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_EXPLAIN_PRIORITY_H_
