// Validation of the requests about the tracked queue, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_QUEUE_VALIDATE_QUEUE_H_
#define PRIORITYD_SERVER_API_QUEUE_VALIDATE_QUEUE_H_

#include "absl/status/status.h"
#include "priority/v1/queue.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations. Single jobs and records are not checked: a wrong
// one never fails the others.
absl::Status Validate(const ::priority::v1::UpdateJobsRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::TopJobsRequest& request, const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::ListJobsRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_QUEUE_VALIDATE_QUEUE_H_
