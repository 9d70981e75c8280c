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
#include "server/rpc/administer_associations.h"
#include "server/rpc/administer_clusters.h"
#include "server/rpc/administer_partitions.h"
#include "server/rpc/administer_qos.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call.h"
#include "server/rpc/caller.h"
#include "server/rpc/convert_change.h"
#include "server/rpc/list_audit_events.h"
#include "server/rpc/message_stream.h"
#include "server/rpc/policy_versions.h"
#include "server/rpc/service_status.h"
#include "server/rpc/telling.h"
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

  // --- Policy versions, audit, clusters, QOS, partitions ---------------------------------------

  grpc::ServerUnaryReactor* ListPolicyVersions(
      grpc::CallbackServerContext* context,
      const ::priority::v1::ListPolicyVersionsRequest* request,
      ::priority::v1::ListPolicyVersionsResponse* response) override {
    return Tell(authorization::Rpc::kListPolicyVersions, context, request, response,
                rpc::ListPolicyVersions);
  }
  grpc::ServerUnaryReactor* RollbackPolicy(grpc::CallbackServerContext* context,
                                           const ::priority::v1::RollbackPolicyRequest* request,
                                           ::priority::v1::ApplyPolicyResponse* response) override {
    return Run(authorization::Rpc::kRollbackPolicy, context, *request, *response,
               [=, this](const Caller& caller) {
                 return DoRollbackPolicy(caller.ToString(), *request, response);
               });
  }
  grpc::ServerUnaryReactor* ListAuditEvents(
      grpc::CallbackServerContext* context, const ::priority::v1::ListAuditEventsRequest* request,
      ::priority::v1::ListAuditEventsResponse* response) override {
    return Run(authorization::Rpc::kListAuditEvents, context, *request, *response,
               [=, this](const Caller&) {
                 return rpc::ListAuditEvents(*options_.database, *options_.registry, *request,
                                             response);
               });
  }
  grpc::ServerUnaryReactor* ListClusters(grpc::CallbackServerContext* context,
                                         const ::priority::v1::ListClustersRequest* request,
                                         ::priority::v1::ListClustersResponse* response) override {
    return Run(authorization::Rpc::kListClusters, context, *request, *response,
               [=, this](const Caller& caller) {
                 return rpc::ListClusters(*options_.database, *options_.boundary, caller, *request,
                                          response);
               });
  }
  grpc::ServerUnaryReactor* DeleteCluster(
      grpc::CallbackServerContext* context, const ::priority::v1::DeleteClusterRequest* request,
      ::priority::v1::DeleteClusterResponse* response) override {
    return Run(authorization::Rpc::kDeleteCluster, context, *request, *response,
               [=, this](const Caller& caller) {
                 return rpc::DeleteCluster(*options_.database, *options_.boundary, caller,
                                           options_.clock(), *request, response);
               });
  }
  grpc::ServerUnaryReactor* ListQos(grpc::CallbackServerContext* context,
                                    const ::priority::v1::ListQosRequest* request,
                                    ::priority::v1::ListQosResponse* response) override {
    return Tell(authorization::Rpc::kListQos, context, request, response, rpc::ListQos);
  }
  grpc::ServerUnaryReactor* CreateQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::CreateQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override {
    return Change(authorization::Rpc::kCreateQos, context, request, response, rpc::CreateQos);
  }
  grpc::ServerUnaryReactor* UpdateQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::UpdateQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override {
    return Change(authorization::Rpc::kUpdateQos, context, request, response, rpc::UpdateQos);
  }
  grpc::ServerUnaryReactor* DeleteQos(grpc::CallbackServerContext* context,
                                      const ::priority::v1::DeleteQosRequest* request,
                                      ::priority::v1::ChangeResponse* response) override {
    return Change(authorization::Rpc::kDeleteQos, context, request, response, rpc::DeleteQos);
  }
  grpc::ServerUnaryReactor* ListPartitions(
      grpc::CallbackServerContext* context, const ::priority::v1::ListPartitionsRequest* request,
      ::priority::v1::ListPartitionsResponse* response) override {
    return Tell(authorization::Rpc::kListPartitions, context, request, response,
                rpc::ListPartitions);
  }
  grpc::ServerUnaryReactor* UpdatePartitions(grpc::CallbackServerContext* context,
                                             const ::priority::v1::UpdatePartitionsRequest* request,
                                             ::priority::v1::ChangeResponse* response) override {
    return Change(authorization::Rpc::kUpdatePartitions, context, request, response,
                  rpc::UpdatePartitions);
  }
  grpc::ServerUnaryReactor* DeletePartitions(grpc::CallbackServerContext* context,
                                             const ::priority::v1::DeletePartitionsRequest* request,
                                             ::priority::v1::ChangeResponse* response) override {
    return Change(authorization::Rpc::kDeletePartitions, context, request, response,
                  rpc::DeletePartitions);
  }

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
  absl::Status DoRecalculate(const ::priority::v1::RecalculateRequest& request,
                             ::priority::v1::Snapshot* response);
  absl::Status DoResetUsage(const std::string& principal,
                            const ::priority::v1::ResetUsageRequest& request,
                            ::priority::v1::ResetUsageResponse* response);
  absl::Status DoRebuildUsage(const std::string& principal,
                              const ::priority::v1::RebuildUsageRequest& request,
                              MessageStream<::priority::v1::RebuildUsageResponse>* stream);
  absl::Status DoGetStatus(const Caller& caller, const ::priority::v1::GetStatusRequest& request,
                           ::priority::v1::GetStatusResponse* response);

  // Runs a function of administer_associations.h for a caller who may make the call.
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* RunAdministration(authorization::Rpc rpc,
                                              grpc::CallbackServerContext* context,
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

  // Answers what `tell` reads of the cluster that the request names.
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor* Tell(authorization::Rpc rpc, grpc::CallbackServerContext* context,
                                 const Request* request, Response* response,
                                 absl::Status (*tell)(const Telling&, const Request&, Response*)) {
    return Run(rpc, context, *request, *response, [=, this](const Caller& caller) -> absl::Status {
      const std::string& named = request->cluster();
      auto cluster = options_.registry->Resolve({named.data(), named.size()});
      if (!cluster.ok()) return cluster.status();
      return tell({*options_.database, *options_.registry, caller, *cluster}, *request, response);
    });
  }

  // Makes the change that `change` describes to the cluster that the request names.
  template <typename Request>
  grpc::ServerUnaryReactor* Change(authorization::Rpc rpc, grpc::CallbackServerContext* context,
                                   const Request* request, ::priority::v1::ChangeResponse* response,
                                   absl::StatusOr<administration::ChangeResult> (*change)(
                                       storage::Database&, const administration::ChangeFrame&,
                                       const Request&)) {
    return Run(rpc, context, *request, *response, [=, this](const Caller& caller) -> absl::Status {
      const std::string& named = request->cluster();
      auto cluster = options_.registry->Resolve({named.data(), named.size()});
      if (!cluster.ok()) return cluster.status();
      auto result =
          change(*options_.database,
                 ToFrame(rpc, caller, *cluster, options_.clock(), request->options()), *request);
      if (!result.ok()) return result.status();
      ToProto(*result, response);
      if (!request->options().validate_only()) PutInForce(*options_.loop, *cluster, response);
      return absl::OkStatus();
    });
  }

  const Options options_;
  // Answers how the service is, also when everybody else waits.
  WorkerPool telling_{1};
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ADMIN_SERVICE_H_
