// Validation of requests about grants.
#ifndef PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_
#define PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_

#include <string>

#include "absl/status/status.h"
#include "priority/v1/grant.pb.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with all violations.
absl::Status Validate(const ::priority::v1::ListGrantsRequest& request);
absl::Status Validate(const ::priority::v1::GetGrantStatementRequest& request);
absl::Status Validate(const ::priority::v1::UpdateGrantsRequest& request);
absl::Status Validate(const ::priority::v1::RevokeGrantsRequest& request);
absl::Status Validate(const ::priority::v1::TransferGrantRequest& request);

// The amount of a transfer: its amount_minutes or its amount_tres_seconds. `message` is before the
// fields: empty, or as `grant_transfers[0].`.
void CheckTransferred(const std::string& message, double minutes, const std::string& seconds,
                      RequestViolations* violations);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_VALIDATE_GRANTS_H_
