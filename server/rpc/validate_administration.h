// What can be said of requests about the association tree without knowing any cluster.
#ifndef PRIORITYD_SERVER_RPC_VALIDATE_ADMINISTRATION_H_
#define PRIORITYD_SERVER_RPC_VALIDATE_ADMINISTRATION_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::ListUsersRequest& request);
absl::Status Validate(const ::priority::v1::CreateAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::DeleteAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateUsersRequest& request);
absl::Status Validate(const ::priority::v1::ExportRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_VALIDATE_ADMINISTRATION_H_
