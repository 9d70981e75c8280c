// AdminService: imports, policies, clusters, recalculation.
#ifndef PRIORITYD_SERVER_RPC_ADMIN_SERVICE_H_
#define PRIORITYD_SERVER_RPC_ADMIN_SERVICE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/administration_call.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call.h"
#include "server/rpc/caller.h"
#include "server/rpc/message_stream.h"
#include "server/rpc/policy_versions.h"
#include "server/rpc/service_status.h"
#include "server/rpc/worker_pool.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/site_factors.h"
#include "storage/database.h"

namespace priorityd::rpc {

// Thread-safe. The errors of each RPC are those of what it calls.
class AdminService : public ::priority::v1::AdminService::CallbackService {
 public:
  struct Options {
    storage::Database* database;
    const recalculation::SnapshotRegistry* registry;
    recalculation::RecalculationLoop* loop;
    site_factor::SiteFactors* site_factors;
    const site_factor::AllowedServices* allowed_services;
    WorkerPool* operating;  // Waits for the database, and for recalculations.
    Boundary* boundary;
    const ServiceStatus* status;
    std::function<absl::Time()> clock;
  };

  // What the options point to must outlive the service.
  explicit AdminService(Options options) : options_(std::move(options)) {}

  grpc::ServerUnaryReactor* Import(grpc::CallbackServerContext* context,
                                   const ::priority::v1::ImportRequest* request,
                                   ::priority::v1::ImportResponse* response) override;
  grpc::ServerUnaryReactor* ApplyPolicy(grpc::CallbackServerContext* context,
                                        const ::priority::v1::ApplyPolicyRequest* request,
                                        ::priority::v1::ApplyPolicyResponse* response) override;
  grpc::ServerUnaryReactor* GetPolicy(grpc::CallbackServerContext* context,
                                      const ::priority::v1::GetPolicyRequest* request,
                                      ::priority::v1::Policy* response) override;
  grpc::ServerUnaryReactor* UpdateCluster(grpc::CallbackServerContext* context,
                                          const ::priority::v1::UpdateClusterRequest* request,
                                          ::priority::v1::Cluster* response) override;
  grpc::ServerUnaryReactor* Recalculate(grpc::CallbackServerContext* context,
                                        const ::priority::v1::RecalculateRequest* request,
                                        ::priority::v1::Snapshot* response) override;
  grpc::ServerUnaryReactor* ResetUsage(grpc::CallbackServerContext* context,
                                       const ::priority::v1::ResetUsageRequest* request,
                                       ::priority::v1::ResetUsageResponse* response) override;
  grpc::ServerWriteReactor<::priority::v1::RebuildUsageResponse>* RebuildUsage(
      grpc::CallbackServerContext* context,
      const ::priority::v1::RebuildUsageRequest* request) override;
  grpc::ServerUnaryReactor* VoidUsage(grpc::CallbackServerContext* context,
                                      const ::priority::v1::VoidUsageRequest* request,
                                      ::priority::v1::VoidUsageResponse* response) override;
  grpc::ServerUnaryReactor* RestoreUsage(grpc::CallbackServerContext* context,
                                         const ::priority::v1::RestoreUsageRequest* request,
                                         ::priority::v1::VoidUsageResponse* response) override;
  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context,
                                      const ::priority::v1::GetStatusRequest* request,
                                      ::priority::v1::GetStatusResponse* response) override;

  // The association tree and its users: administer_associations.h.
  grpc::ServerUnaryReactor* ListAssociations(
      grpc::CallbackServerContext* context, const ::priority::v1::ListAssociationsRequest* request,
      ::priority::v1::ListAssociationsResponse* response) override;
  grpc::ServerUnaryReactor* CreateAssociations(
      grpc::CallbackServerContext* context,
      const ::priority::v1::CreateAssociationsRequest* request,
      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* UpdateAssociations(
      grpc::CallbackServerContext* context,
      const ::priority::v1::UpdateAssociationsRequest* request,
      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* DeleteAssociations(
      grpc::CallbackServerContext* context,
      const ::priority::v1::DeleteAssociationsRequest* request,
      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* ListUsers(grpc::CallbackServerContext* context,
                                      const ::priority::v1::ListUsersRequest* request,
                                      ::priority::v1::ListUsersResponse* response) override;
  grpc::ServerUnaryReactor* UpdateUsers(grpc::CallbackServerContext* context,
                                        const ::priority::v1::UpdateUsersRequest* request,
                                        ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* Export(grpc::CallbackServerContext* context,
                                   const ::priority::v1::ExportRequest* request,
                                   ::priority::v1::ExportResponse* response) override;

  // Policy versions, audit, clusters.
  grpc::ServerUnaryReactor* ListPolicyVersions(
      grpc::CallbackServerContext* context,
      const ::priority::v1::ListPolicyVersionsRequest* request,
      ::priority::v1::ListPolicyVersionsResponse* response) override;
  grpc::ServerUnaryReactor* RollbackPolicy(grpc::CallbackServerContext* context,
                                           const ::priority::v1::RollbackPolicyRequest* request,
                                           ::priority::v1::ApplyPolicyResponse* response) override;
  grpc::ServerUnaryReactor* ListAuditEvents(
      grpc::CallbackServerContext* context, const ::priority::v1::ListAuditEventsRequest* request,
      ::priority::v1::ListAuditEventsResponse* response) override;
  grpc::ServerUnaryReactor* ListClusters(grpc::CallbackServerContext* context,
                                         const ::priority::v1::ListClustersRequest* request,
                                         ::priority::v1::ListClustersResponse* response) override;
  grpc::ServerUnaryReactor* DeleteCluster(grpc::CallbackServerContext* context,
                                          const ::priority::v1::DeleteClusterRequest* request,
                                          ::priority::v1::DeleteClusterResponse* response) override;

  // QOS and partitions.
  grpc::ServerUnaryReactor* ListQos(grpc::CallbackServerContext* context,
                                    const ::priority::v1::ListQosRequest* request,
                                    ::priority::v1::ListQosResponse* response) override;
  grpc::ServerUnaryReactor* CreateQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::CreateQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* UpdateQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::UpdateQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* DeleteQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::DeleteQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* ListPartitions(
      grpc::CallbackServerContext* context, const ::priority::v1::ListPartitionsRequest* request,
      ::priority::v1::ListPartitionsResponse* response) override;
  grpc::ServerUnaryReactor* UpdatePartitions(grpc::CallbackServerContext* context,
                                             const ::priority::v1::UpdatePartitionsRequest* request,
                                             ::priority::v1::ChangeResponse* response) override;
  grpc::ServerUnaryReactor* DeletePartitions(grpc::CallbackServerContext* context,
                                             const ::priority::v1::DeletePartitionsRequest* request,
                                             ::priority::v1::ChangeResponse* response) override;

 private:
  absl::Status DoImport(const Caller& caller, const ::priority::v1::ImportRequest& request,
                        ::priority::v1::ImportResponse* response);
  absl::Status DoApplyPolicy(const std::string& principal,
                             const ::priority::v1::ApplyPolicyRequest& request,
                             ::priority::v1::ApplyPolicyResponse* response);
  absl::Status DoGetPolicy(const ::priority::v1::GetPolicyRequest& request,
                           ::priority::v1::Policy* response);
  absl::Status DoUpdateCluster(const std::string& principal,
                               const ::priority::v1::UpdateClusterRequest& request,
                               ::priority::v1::Cluster* response);
  absl::Status DoRecalculate(const std::string& principal,
                             const ::priority::v1::RecalculateRequest& request,
                             ::priority::v1::Snapshot* response);
  absl::Status DoResetUsage(const std::string& principal,
                            const ::priority::v1::ResetUsageRequest& request,
                            ::priority::v1::ResetUsageResponse* response);
  absl::Status DoRebuildUsage(const std::string& principal,
                              const ::priority::v1::RebuildUsageRequest& request,
                              MessageStream<::priority::v1::RebuildUsageResponse>* stream);
  absl::Status DoGetStatus(const Caller& caller, const ::priority::v1::GetStatusRequest& request,
                           ::priority::v1::GetStatusResponse* response);

  // Does `work` on the cluster that the request names.
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* Administer(authorization::Rpc rpc, grpc::CallbackServerContext* context,
                                       const Request* request, Response* response,
                                       absl::Status (*work)(const AdministrationCall&,
                                                            const Request&, Response*));

  absl::Status DoRollbackPolicy(const std::string& principal,
                                const ::priority::v1::RollbackPolicyRequest& request,
                                ::priority::v1::ApplyPolicyResponse* response);
  PolicyService PolicyParts() const {
    return {options_.database, options_.loop, options_.allowed_services};
  }

  // RunCall on the pool that operates.
  grpc::ServerUnaryReactor* Run(authorization::Rpc rpc, grpc::CallbackServerContext* context,
                                const google::protobuf::Message& request,
                                const google::protobuf::Message& response, Work work) {
    return RunCall(*options_.boundary, rpc, *options_.operating, context, request, response,
                   std::move(work));
  }

  const Options options_;
  // Answers how the service is, also when everybody else waits.
  WorkerPool telling_{1};
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ADMIN_SERVICE_H_
