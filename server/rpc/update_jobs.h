// UpdateJobs: changes of the tracked queue.
#ifndef PRIORITYD_SERVER_RPC_UPDATE_JOBS_H_
#define PRIORITYD_SERVER_RPC_UPDATE_JOBS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/queue.pb.h"
#include "server/queue/replication/tracked_queues.h"

namespace priorityd::rpc {

// Waits for no lock for longer than a moment. REQUIRES: the request is valid. Errors of
// TrackedQueues::Update.
absl::Status UpdateJobs(queue::TrackedQueues& queues,
                        const ::priority::v1::UpdateJobsRequest& request, absl::Time now,
                        ::priority::v1::UpdateJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_UPDATE_JOBS_H_
