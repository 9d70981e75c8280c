// Validation of requests about the association tree, QOS, partitions, reservations and clusters,
// independent of any cluster.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_ADMINISTRATION_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_ADMINISTRATION_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/cluster_move.pb.h"
#include "priority/v1/lease.pb.h"
#include "priority/v1/reservation.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::ListUsersRequest& request);
absl::Status Validate(const ::priority::v1::CreateAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::DeleteAssociationsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateUsersRequest& request);
absl::Status Validate(const ::priority::v1::ExportRequest& request);
absl::Status Validate(const ::priority::v1::ListQosRequest& request);
absl::Status Validate(const ::priority::v1::CreateQosRequest& request);
absl::Status Validate(const ::priority::v1::UpdateQosRequest& request);
absl::Status Validate(const ::priority::v1::DeleteQosRequest& request);
absl::Status Validate(const ::priority::v1::ListPartitionsRequest& request);
absl::Status Validate(const ::priority::v1::UpdatePartitionsRequest& request);
absl::Status Validate(const ::priority::v1::DeletePartitionsRequest& request);
absl::Status Validate(const ::priority::v1::ListReservationsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateReservationsRequest& request);
absl::Status Validate(const ::priority::v1::DeleteReservationsRequest& request);
absl::Status Validate(const ::priority::v1::ListLeasesRequest& request);
absl::Status Validate(const ::priority::v1::EndLeasesRequest& request);
absl::Status Validate(const ::priority::v1::ListClustersRequest& request);
absl::Status Validate(const ::priority::v1::DeleteClusterRequest& request);
absl::Status Validate(const ::priority::v1::MoveClusterRequest& request);
absl::Status Validate(const ::priority::v1::ReadClusterRowsRequest& request);
absl::Status Validate(const ::priority::v1::WriteClusterRowsRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_VALIDATE_ADMINISTRATION_H_
