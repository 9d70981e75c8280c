// Validation of requests about the audit, older policies and usage records, independent of any
// cluster.
#ifndef PRIORITYD_SERVER_RPC_VALIDATE_HISTORY_H_
#define PRIORITYD_SERVER_RPC_VALIDATE_HISTORY_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/audit.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListAuditEventsRequest& request);
absl::Status Validate(const ::priority::v1::ListPolicyVersionsRequest& request);
absl::Status Validate(const ::priority::v1::RollbackPolicyRequest& request);
absl::Status Validate(const ::priority::v1::ListUsageRecordsRequest& request);
absl::Status Validate(const ::priority::v1::VoidUsageRequest& request);
absl::Status Validate(const ::priority::v1::RestoreUsageRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_VALIDATE_HISTORY_H_
