// ExplainPriority: explains the priority of a job.
#ifndef PRIORITYD_SERVER_API_EXPLANATION_EXPLAIN_PRIORITY_H_
#define PRIORITYD_SERVER_API_EXPLANATION_EXPLAIN_PRIORITY_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/explanation.pb.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/queue_state.h"
#include "server/site_factor/reasons.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// For the jobs in the request. REQUIRES: the request is valid. Errors of explanation::Explain and
// Compare, NOT_FOUND with UNKNOWN_JOB; PERMISSION_DENIED as CheckInlineJobs.
absl::Status ExplainInline(const Caller& caller, const priority::Snapshot& snapshot,
                           absl::Time as_of, const ::priority::v1::ExplainPriorityRequest& request,
                           ::priority::v1::ExplainPriorityResponse* response);

// For the tracked queue. A job hidden from the caller counts as missing: NOT_FOUND (UNKNOWN_JOB).
// PERMISSION_DENIED (ROLE_REQUIRED) for a visible job whose association's shares are hidden. May
// wait for the site factor service, as Reasons does.
absl::Status ExplainTracked(const Caller& caller, queue::TrackedQueues& queues,
                            site_factor::Reasons& reasons,
                            std::shared_ptr<const queue::QueueState> state, absl::Time as_of,
                            const ::priority::v1::ExplainPriorityRequest& request,
                            ::priority::v1::ExplainPriorityResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_EXPLANATION_EXPLAIN_PRIORITY_H_
