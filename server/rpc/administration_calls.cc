// The RPCs of AdminService that list and change what is configured.
#include <string>

#include "absl/status/statusor.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/administer_associations.h"
#include "server/rpc/administer_clusters.h"
#include "server/rpc/administer_partitions.h"
#include "server/rpc/administer_qos.h"
#include "server/rpc/administration_call.h"
#include "server/rpc/call.h"
#include "server/rpc/list_audit_events.h"
#include "server/rpc/policy_versions.h"
#include "server/rpc/void_usage.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

using authorization::Rpc;

template <typename Request, typename Response>
grpc::ServerUnaryReactor* AdminService::Administer(
    Rpc rpc, grpc::CallbackServerContext* context, const Request* request, Response* response,
    absl::Status (*work)(const AdministrationCall&, const Request&, Response*)) {
  return Run(rpc, context, *request, *response, [=, this](const Caller& caller) -> absl::Status {
    const std::string& name = request->cluster();
    auto cluster = options_.registry->Resolve({name.data(), name.size()});
    if (!cluster.ok()) return cluster.status();
    return work({rpc, *options_.database, *options_.registry, *options_.loop, caller, *cluster,
                 options_.clock()},
                *request, response);
  });
}

grpc::ServerUnaryReactor* AdminService::VoidUsage(grpc::CallbackServerContext* context,
                                                  const v1::VoidUsageRequest* request,
                                                  v1::VoidUsageResponse* response) {
  return Administer(Rpc::kVoidUsage, context, request, response, rpc::VoidUsage);
}

grpc::ServerUnaryReactor* AdminService::RestoreUsage(grpc::CallbackServerContext* context,
                                                     const v1::RestoreUsageRequest* request,
                                                     v1::VoidUsageResponse* response) {
  return Administer(Rpc::kRestoreUsage, context, request, response, rpc::RestoreUsage);
}

grpc::ServerUnaryReactor* AdminService::ListAssociations(grpc::CallbackServerContext* context,
                                                         const v1::ListAssociationsRequest* request,
                                                         v1::ListAssociationsResponse* response) {
  return Administer(Rpc::kListAssociations, context, request, response, rpc::ListAssociations);
}

grpc::ServerUnaryReactor* AdminService::CreateAssociations(
    grpc::CallbackServerContext* context, const v1::CreateAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return Administer(Rpc::kCreateAssociations, context, request, response, rpc::CreateAssociations);
}

grpc::ServerUnaryReactor* AdminService::UpdateAssociations(
    grpc::CallbackServerContext* context, const v1::UpdateAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return Administer(Rpc::kUpdateAssociations, context, request, response, rpc::UpdateAssociations);
}

grpc::ServerUnaryReactor* AdminService::DeleteAssociations(
    grpc::CallbackServerContext* context, const v1::DeleteAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return Administer(Rpc::kDeleteAssociations, context, request, response, rpc::DeleteAssociations);
}

grpc::ServerUnaryReactor* AdminService::ListUsers(grpc::CallbackServerContext* context,
                                                  const v1::ListUsersRequest* request,
                                                  v1::ListUsersResponse* response) {
  return Administer(Rpc::kListUsers, context, request, response, rpc::ListUsers);
}

grpc::ServerUnaryReactor* AdminService::UpdateUsers(grpc::CallbackServerContext* context,
                                                    const v1::UpdateUsersRequest* request,
                                                    v1::ChangeResponse* response) {
  return Administer(Rpc::kUpdateUsers, context, request, response, rpc::UpdateUsers);
}

grpc::ServerUnaryReactor* AdminService::Export(grpc::CallbackServerContext* context,
                                               const v1::ExportRequest* request,
                                               v1::ExportResponse* response) {
  return Administer(Rpc::kExport, context, request, response, rpc::Export);
}

grpc::ServerUnaryReactor* AdminService::ListPolicyVersions(
    grpc::CallbackServerContext* context, const v1::ListPolicyVersionsRequest* request,
    v1::ListPolicyVersionsResponse* response) {
  return Administer(Rpc::kListPolicyVersions, context, request, response, rpc::ListPolicyVersions);
}

grpc::ServerUnaryReactor* AdminService::RollbackPolicy(grpc::CallbackServerContext* context,
                                                       const v1::RollbackPolicyRequest* request,
                                                       v1::ApplyPolicyResponse* response) {
  return Run(Rpc::kRollbackPolicy, context, *request, *response, [=, this](const Caller& caller) {
    return DoRollbackPolicy(caller.ToString(), *request, response);
  });
}

grpc::ServerUnaryReactor* AdminService::ListAuditEvents(grpc::CallbackServerContext* context,
                                                        const v1::ListAuditEventsRequest* request,
                                                        v1::ListAuditEventsResponse* response) {
  return Run(Rpc::kListAuditEvents, context, *request, *response, [=, this](const Caller&) {
    return rpc::ListAuditEvents(*options_.database, *options_.registry, *request, response);
  });
}

grpc::ServerUnaryReactor* AdminService::ListClusters(grpc::CallbackServerContext* context,
                                                     const v1::ListClustersRequest* request,
                                                     v1::ListClustersResponse* response) {
  return Run(Rpc::kListClusters, context, *request, *response, [=, this](const Caller& caller) {
    return rpc::ListClusters(*options_.database, *options_.boundary, caller, *request, response);
  });
}

grpc::ServerUnaryReactor* AdminService::DeleteCluster(grpc::CallbackServerContext* context,
                                                      const v1::DeleteClusterRequest* request,
                                                      v1::DeleteClusterResponse* response) {
  return Run(Rpc::kDeleteCluster, context, *request, *response, [=, this](const Caller& caller) {
    return rpc::DeleteCluster(*options_.database, *options_.boundary, caller, options_.clock(),
                              *request, response);
  });
}

grpc::ServerUnaryReactor* AdminService::ListQos(grpc::CallbackServerContext* context,
                                                const v1::ListQosRequest* request,
                                                v1::ListQosResponse* response) {
  return Administer(Rpc::kListQos, context, request, response, rpc::ListQos);
}

grpc::ServerUnaryReactor* AdminService::CreateQos(grpc::CallbackServerContext* context,
                                                  const v1::CreateQosRequest* request,
                                                  v1::ChangeResponse* response) {
  return Administer(Rpc::kCreateQos, context, request, response, rpc::CreateQos);
}

grpc::ServerUnaryReactor* AdminService::UpdateQos(grpc::CallbackServerContext* context,
                                                  const v1::UpdateQosRequest* request,
                                                  v1::ChangeResponse* response) {
  return Administer(Rpc::kUpdateQos, context, request, response, rpc::UpdateQos);
}

grpc::ServerUnaryReactor* AdminService::DeleteQos(grpc::CallbackServerContext* context,
                                                  const v1::DeleteQosRequest* request,
                                                  v1::ChangeResponse* response) {
  return Administer(Rpc::kDeleteQos, context, request, response, rpc::DeleteQos);
}

grpc::ServerUnaryReactor* AdminService::ListPartitions(grpc::CallbackServerContext* context,
                                                       const v1::ListPartitionsRequest* request,
                                                       v1::ListPartitionsResponse* response) {
  return Administer(Rpc::kListPartitions, context, request, response, rpc::ListPartitions);
}

grpc::ServerUnaryReactor* AdminService::UpdatePartitions(grpc::CallbackServerContext* context,
                                                         const v1::UpdatePartitionsRequest* request,
                                                         v1::ChangeResponse* response) {
  return Administer(Rpc::kUpdatePartitions, context, request, response, rpc::UpdatePartitions);
}

grpc::ServerUnaryReactor* AdminService::DeletePartitions(grpc::CallbackServerContext* context,
                                                         const v1::DeletePartitionsRequest* request,
                                                         v1::ChangeResponse* response) {
  return Administer(Rpc::kDeletePartitions, context, request, response, rpc::DeletePartitions);
}

}  // namespace priorityd::rpc
