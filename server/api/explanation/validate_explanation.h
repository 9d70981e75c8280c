// Validation of ExplainPriority, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_EXPLANATION_VALIDATE_EXPLANATION_H_
#define PRIORITYD_SERVER_API_EXPLANATION_VALIDATE_EXPLANATION_H_

#include "absl/status/status.h"
#include "priority/v1/explanation.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations. Single jobs and records are not checked: a wrong
// one never fails the others.
absl::Status Validate(const ::priority::v1::ExplainPriorityRequest& request,
                      const RequestLimits& limits);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_EXPLANATION_VALIDATE_EXPLANATION_H_
