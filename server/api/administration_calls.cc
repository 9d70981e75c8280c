// The RPCs of AdminService that list and change what is configured.
#include <string>

#include "server/api/admin_service.h"
#include "server/api/administration/administer_associations.h"
#include "server/api/administration/administer_backups.h"
#include "server/api/administration/administer_clusters.h"
#include "server/api/administration/administer_leases.h"
#include "server/api/administration/administer_partitions.h"
#include "server/api/administration/administer_qos.h"
#include "server/api/administration/administer_reservations.h"
#include "server/api/administration/list_audit_events.h"
#include "server/api/administration/move_clusters.h"
#include "server/api/administration/undo_import.h"
#include "server/api/aliases/administer_aliases.h"
#include "server/api/aliases/administer_merges.h"
#include "server/api/domains/administer_domains.h"
#include "server/api/grants/administer_grants.h"
#include "server/api/policy/policy_versions.h"
#include "server/api/shared/administration_call.h"
#include "server/api/usage/list_usage_sources.h"
#include "server/api/usage/void_usage.h"
#include "server/transport/call.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

using authorization::Rpc;

template <typename Request, typename Response>
void AdminService::Administer(Rpc rpc, absl::Status (*work)(const AdministrationCall&,
                                                            const Request&, Response*)) {
  const auto on_cluster = [=, this](const Caller& caller, const Request& request,
                                    Response* response) -> absl::Status {
    const std::string& name = request.cluster();
    auto cluster = options_.registry->Resolve({name.data(), name.size()});
    if (!cluster.ok()) return cluster.status();
    const auto queue = [this, cluster = *cluster] {
      return options_.queues->PublishedState(cluster).value_or(nullptr);
    };
    return work({rpc, *options_.database, *options_.registry, *options_.loop, caller, *cluster,
                 options_.clock(), queue, options_.aliases, options_.boundary},
                request, response);
  };
  Unary<Request, Response>(rpc, On(options_.pools->operating), on_cluster);
}

template <typename Request, typename Response>
void AdminService::Back(Rpc rpc,
                        absl::Status (*work)(backups::Backups*, const Request&, Response*)) {
  const auto on_backups = [=, this](const Caller&, const Request& request, Response* response) {
    return work(options_.backups, request, response);
  };
  Unary<Request, Response>(rpc, On(options_.pools->operating), on_backups);
}

template <typename Request, typename Response>
void AdminService::Move(Rpc rpc, absl::Status (*work)(storage::Database&, const Boundary&,
                                                      const Caller&, const Request&, Response*)) {
  const auto move = [=, this](const Caller& caller, const Request& request, Response* response) {
    return work(*options_.database, *options_.boundary, caller, request, response);
  };
  Unary<Request, Response>(rpc, On(options_.pools->operating), move);
}

void AdminService::AddAdministration() {
  Administer(Rpc::kVoidUsage, rpc::VoidUsage);
  Administer(Rpc::kRestoreUsage, rpc::RestoreUsage);
  Administer(Rpc::kListAssociations, rpc::ListAssociations);
  Administer(Rpc::kCreateAssociations, rpc::CreateAssociations);
  Administer(Rpc::kUpdateAssociations, rpc::UpdateAssociations);
  Administer(Rpc::kDeleteAssociations, rpc::DeleteAssociations);
  Administer(Rpc::kListUsers, rpc::ListUsers);
  Administer(Rpc::kUpdateUsers, rpc::UpdateUsers);
  Administer(Rpc::kExport, rpc::Export);
  Administer(Rpc::kListPolicyVersions, rpc::ListPolicyVersions);
  Administer(Rpc::kListQos, rpc::ListQos);
  Administer(Rpc::kCreateQos, rpc::CreateQos);
  Administer(Rpc::kUpdateQos, rpc::UpdateQos);
  Administer(Rpc::kDeleteQos, rpc::DeleteQos);
  Administer(Rpc::kListPartitions, rpc::ListPartitions);
  Administer(Rpc::kUpdatePartitions, rpc::UpdatePartitions);
  Administer(Rpc::kDeletePartitions, rpc::DeletePartitions);
  Administer(Rpc::kListReservations, rpc::ListReservations);
  Administer(Rpc::kUpdateReservations, rpc::UpdateReservations);
  Administer(Rpc::kDeleteReservations, rpc::DeleteReservations);
  Administer(Rpc::kListAliases, rpc::ListAliases);
  Administer(Rpc::kUpdateAliases, rpc::UpdateAliases);
  Administer(Rpc::kListUserMerges, rpc::ListUserMerges);
  Administer(Rpc::kMergeUsers, rpc::MergeUsers);
  Administer(Rpc::kUnmergeUsers, rpc::UnmergeUsers);
  Administer(Rpc::kUpdateDomain, rpc::UpdateDomain);
  Administer(Rpc::kUpdateGrants, rpc::UpdateGrants);
  Administer(Rpc::kRevokeGrants, rpc::RevokeGrants);
  Administer(Rpc::kTransferGrant, rpc::TransferGrant);
  Administer(Rpc::kListLeases, rpc::ListLeases);
  Administer(Rpc::kEndLeases, rpc::EndLeases);
  Administer(Rpc::kListUsageSources, rpc::ListUsageSources);
  Administer(Rpc::kUndoImport, rpc::UndoImport);
  Back(Rpc::kCreateBackup, rpc::CreateBackup);
  Back(Rpc::kVerifyBackup, rpc::VerifyBackup);
  Back(Rpc::kListBackups, rpc::ListBackups);
  Move(Rpc::kMoveCluster, rpc::MoveCluster);
  Move(Rpc::kReadClusterRows, rpc::ReadClusterRows);
  Move(Rpc::kWriteClusterRows, rpc::WriteClusterRows);
  WorkerPool& operating = options_.pools->operating;
  Unary(Rpc::kListAuditEvents, On(operating), this, &AdminService::DoListAuditEvents);
  Unary(Rpc::kListDomains, On(operating), this, &AdminService::DoListDomains);
  Unary(Rpc::kListClusters, On(operating), this, &AdminService::DoListClusters);
  Unary(Rpc::kDeleteCluster, On(operating), this, &AdminService::DoDeleteCluster);
  Unary(Rpc::kRestoreCluster, On(operating), this, &AdminService::DoRestoreCluster);
}

absl::Status AdminService::DoListAuditEvents(const Caller&,
                                             const v1::ListAuditEventsRequest& request,
                                             v1::ListAuditEventsResponse* response) const {
  return rpc::ListAuditEvents(*options_.reports, *options_.registry, request, response);
}

absl::Status AdminService::DoListDomains(const Caller& caller,
                                         const v1::ListDomainsRequest& request,
                                         v1::ListDomainsResponse* response) const {
  return rpc::ListDomains(*options_.database, *options_.boundary, *options_.registry,
                          options_.clock(), caller, request, response);
}

absl::Status AdminService::DoListClusters(const Caller& caller,
                                          const v1::ListClustersRequest& request,
                                          v1::ListClustersResponse* response) const {
  return rpc::ListClusters(*options_.database, *options_.boundary, caller, request, response);
}

absl::Status AdminService::DoDeleteCluster(const Caller& caller,
                                           const v1::DeleteClusterRequest& request,
                                           v1::DeleteClusterResponse* response) const {
  return rpc::DeleteCluster(*options_.database, *options_.boundary, caller, options_.clock(),
                            options_.may_go_on, request, response);
}

absl::Status AdminService::DoRestoreCluster(const Caller& caller,
                                            const v1::RestoreClusterRequest& request,
                                            v1::Cluster* response) const {
  return rpc::RestoreCluster(*options_.database, *options_.boundary, caller, options_.clock(),
                             request, response);
}

}  // namespace priorityd::rpc
