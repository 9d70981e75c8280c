// Validation of GetStatus, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_STATUS_VALIDATE_STATUS_H_
#define PRIORITYD_SERVER_API_STATUS_VALIDATE_STATUS_H_

#include "absl/status/status.h"
#include "priority/v1/status.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::GetStatusRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_STATUS_VALIDATE_STATUS_H_
