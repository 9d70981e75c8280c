// What can be checked of Import, UpdateCluster, Recalculate and ListAuditEvents without knowing any
// cluster.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/audit.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ImportRequest& request);
absl::Status Validate(const ::priority::v1::UpdateClusterRequest& request);
absl::Status Validate(const ::priority::v1::RecalculateRequest& request);
absl::Status Validate(const ::priority::v1::ListAuditEventsRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_
