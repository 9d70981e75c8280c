// Validation of GetCaller, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_CALLER_VALIDATE_CALLER_H_
#define PRIORITYD_SERVER_API_CALLER_VALIDATE_CALLER_H_

#include "absl/status/status.h"
#include "priority/v1/caller.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::GetCallerRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_CALLER_VALIDATE_CALLER_H_
