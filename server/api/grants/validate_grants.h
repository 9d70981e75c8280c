// Validation of requests about grants.
#ifndef PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_
#define PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_

#include "absl/status/status.h"
#include "priority/v1/grant.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with all violations.
absl::Status Validate(const ::priority::v1::ListGrantsRequest& request);
absl::Status Validate(const ::priority::v1::GetGrantStatementRequest& request);
absl::Status Validate(const ::priority::v1::UpdateGrantsRequest& request);
absl::Status Validate(const ::priority::v1::RevokeGrantsRequest& request);
absl::Status Validate(const ::priority::v1::TransferGrantRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_
