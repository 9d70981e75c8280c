// The calls of PriorityClient about a site: its files, policies, clusters, its service.
#include <utility>

#include "client/list_pages.h"
#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ImportResponse> PriorityClient::Import(v1::ImportRequest request) const {
  return stubs_->Do(&Admin::Import, std::move(request));
}

absl::StatusOr<v1::ApplyPolicyResponse> PriorityClient::ApplyPolicy(
    v1::ApplyPolicyRequest request) const {
  return stubs_->Do(&Admin::ApplyPolicy, std::move(request));
}

absl::StatusOr<v1::Policy> PriorityClient::GetPolicy(v1::GetPolicyRequest request) const {
  return stubs_->Ask(&Admin::GetPolicy, std::move(request));
}

absl::StatusOr<v1::GetStatusResponse> PriorityClient::GetStatus(
    v1::GetStatusRequest request) const {
  return stubs_->Ask(&Admin::GetStatus, std::move(request));
}

absl::StatusOr<v1::Cluster> PriorityClient::UpdateCluster(v1::UpdateClusterRequest request) const {
  return stubs_->Do(&Admin::UpdateCluster, std::move(request));
}

absl::StatusOr<v1::ListClustersResponse> PriorityClient::ListClusters(
    v1::ListClustersRequest request) const {
  return stubs_->Ask(&Admin::ListClusters, std::move(request));
}

absl::StatusOr<v1::ApplyPolicyResponse> PriorityClient::RollbackPolicy(
    v1::RollbackPolicyRequest request) const {
  return stubs_->Do(&Admin::RollbackPolicy, std::move(request));
}

absl::StatusOr<v1::ListPolicyVersionsResponse> PriorityClient::ListPolicyVersions(
    v1::ListPolicyVersionsRequest request, uint32_t limit) const {
  const auto list = [&](const v1::ListPolicyVersionsRequest& page) {
    return stubs_->Ask(&Admin::ListPolicyVersions, page);
  };
  return FirstOf(limit, std::move(request), list, [](const v1::ListPolicyVersionsResponse& answer) {
    return answer.versions_size();
  });
}

absl::StatusOr<v1::ListAuditEventsResponse> PriorityClient::ListAuditEvents(
    v1::ListAuditEventsRequest request, uint32_t limit) const {
  const auto list = [&](const v1::ListAuditEventsRequest& page) {
    return stubs_->Ask(&Admin::ListAuditEvents, page);
  };
  return FirstOf(limit, std::move(request), list,
                 [](const v1::ListAuditEventsResponse& answer) { return answer.events_size(); });
}

absl::StatusOr<v1::Snapshot> PriorityClient::Recalculate(v1::RecalculateRequest request) const {
  return stubs_->Do(&Admin::Recalculate, std::move(request));
}

absl::StatusOr<v1::ClusterMove> PriorityClient::MoveCluster(v1::MoveClusterRequest request) const {
  return stubs_->Ask(&Admin::MoveCluster, std::move(request));
}

absl::StatusOr<v1::ClusterRows> PriorityClient::ReadClusterRows(
    v1::ReadClusterRowsRequest request) const {
  return stubs_->Ask(&Admin::ReadClusterRows, std::move(request));
}

absl::StatusOr<v1::MovedTable> PriorityClient::WriteClusterRows(
    v1::WriteClusterRowsRequest request) const {
  return stubs_->Ask(&Admin::WriteClusterRows, std::move(request));
}

absl::StatusOr<v1::DeleteClusterResponse> PriorityClient::DeleteCluster(
    v1::DeleteClusterRequest request) const {
  return stubs_->Do(&Admin::DeleteCluster, std::move(request));
}

absl::StatusOr<v1::Cluster> PriorityClient::RestoreCluster(
    v1::RestoreClusterRequest request) const {
  return stubs_->Do(&Admin::RestoreCluster, std::move(request));
}

absl::StatusOr<v1::UndoImportResponse> PriorityClient::UndoImport(
    v1::UndoImportRequest request) const {
  return stubs_->Do(&Admin::UndoImport, std::move(request));
}

absl::StatusOr<v1::Backup> PriorityClient::CreateBackup(v1::CreateBackupRequest request) const {
  return stubs_->Do(&Admin::CreateBackup, std::move(request));
}

absl::StatusOr<v1::Backup> PriorityClient::VerifyBackup(v1::VerifyBackupRequest request) const {
  return stubs_->Do(&Admin::VerifyBackup, std::move(request));
}

absl::StatusOr<v1::ListBackupsResponse> PriorityClient::ListBackups(
    v1::ListBackupsRequest request) const {
  return stubs_->Ask(&Admin::ListBackups, std::move(request));
}

absl::StatusOr<v1::ExportResponse> PriorityClient::Export(v1::ExportRequest request) const {
  return stubs_->Ask(&Admin::Export, std::move(request));
}

}  // namespace priorityd::client
