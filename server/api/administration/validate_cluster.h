// Validation of the requests about clusters, imports, backups and the audit, independent of any
// cluster.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/audit.pb.h"
#include "priority/v1/recovery.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ImportRequest& request);
absl::Status Validate(const ::priority::v1::UpdateClusterRequest& request);
absl::Status Validate(const ::priority::v1::RecalculateRequest& request);
absl::Status Validate(const ::priority::v1::ListAuditEventsRequest& request);
absl::Status Validate(const ::priority::v1::UndoImportRequest& request);
absl::Status Validate(const ::priority::v1::RestoreClusterRequest& request);
absl::Status Validate(const ::priority::v1::CreateBackupRequest& request);
absl::Status Validate(const ::priority::v1::VerifyBackupRequest& request);
absl::Status Validate(const ::priority::v1::ListBackupsRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_CLUSTER_H_
