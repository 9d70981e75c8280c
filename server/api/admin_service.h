// AdminService: imports, policies, clusters, recalculation.
#ifndef PRIORITYD_SERVER_API_ADMIN_SERVICE_H_
#define PRIORITYD_SERVER_API_ADMIN_SERVICE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/audit.pb.h"
#include "priority/v1/recovery.pb.h"
#include "server/administration/frame/configured_cluster.h"
#include "server/administration/imports/site_files.h"
#include "server/api/policy/policy_versions.h"
#include "server/api/shared/administration_call.h"
#include "server/api/status/service_status.h"
#include "server/backups/backups.h"
#include "server/configuration/alias_directory.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/site_factors.h"
#include "server/transport/boundary.h"
#include "server/transport/call.h"
#include "server/transport/caller.h"
#include "server/transport/message_stream.h"
#include "server/transport/pools.h"
#include "server/transport/request_call.h"
#include "server/transport/unary_methods.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// Thread-safe. Each RPC returns the errors of the functions that it calls. The constructor has one
// line per RPC.
class AdminService : public UnaryMethods {
 public:
  struct Options {
    storage::Database* database;
    storage::ReportDatabase* reports;
    const recalculation::SnapshotRegistry* registry;
    recalculation::RecalculationLoop* loop;
    queue::TrackedQueues* queues;
    configuration::AliasDirectory* aliases;
    site_factor::SiteFactors* site_factors;
    const site_factor::AllowedServices* allowed_services;
    Pools* pools;
    Boundary* boundary;
    const ServiceStatus* status;
    backups::Backups* backups;  // Null = the database is not an embedded one.
    std::function<absl::Time()> clock;
    // False once the service stops without waiting for callers any longer. Called by any thread.
    std::function<bool()> may_go_on;
  };

  // The objects that the options point to must outlive the service.
  explicit AdminService(Options options);

 private:
  using Rebuild =
      MessageStream<::priority::v1::RebuildUsageRequest, ::priority::v1::RebuildUsageResponse>;

  absl::Status DoImport(const Caller& caller, const ::priority::v1::ImportRequest& request,
                        ::priority::v1::ImportResponse* response) const;
  // Makes a backup if the import changes much.
  absl::Status BackUpBeforeImport(const administration::SiteFiles& site,
                                  const ::priority::v1::ImportRequest& request,
                                  administration::ChangeContext context) const;
  absl::Status DoApplyPolicy(const Caller& caller,
                             const ::priority::v1::ApplyPolicyRequest& request,
                             ::priority::v1::ApplyPolicyResponse* response) const;
  absl::Status DoRollbackPolicy(const Caller& caller,
                                const ::priority::v1::RollbackPolicyRequest& request,
                                ::priority::v1::ApplyPolicyResponse* response) const;
  absl::Status DoGetPolicy(const Caller& caller, const ::priority::v1::GetPolicyRequest& request,
                           ::priority::v1::Policy* response) const;
  absl::Status DoUpdateCluster(const Caller& caller,
                               const ::priority::v1::UpdateClusterRequest& request,
                               ::priority::v1::Cluster* response) const;
  absl::Status DoRecalculate(const Caller& caller,
                             const ::priority::v1::RecalculateRequest& request,
                             ::priority::v1::Snapshot* response) const;
  absl::Status DoResetUsage(const Caller& caller, const ::priority::v1::ResetUsageRequest& request,
                            ::priority::v1::ResetUsageResponse* response) const;
  absl::Status DoGetStatus(const Caller& caller, const ::priority::v1::GetStatusRequest& request,
                           ::priority::v1::GetStatusResponse* response) const;
  absl::Status DoListAuditEvents(const Caller& caller,
                                 const ::priority::v1::ListAuditEventsRequest& request,
                                 ::priority::v1::ListAuditEventsResponse* response) const;
  absl::Status DoListDomains(const Caller& caller,
                             const ::priority::v1::ListDomainsRequest& request,
                             ::priority::v1::ListDomainsResponse* response) const;
  absl::Status DoListClusters(const Caller& caller,
                              const ::priority::v1::ListClustersRequest& request,
                              ::priority::v1::ListClustersResponse* response) const;
  absl::Status DoDeleteCluster(const Caller& caller,
                               const ::priority::v1::DeleteClusterRequest& request,
                               ::priority::v1::DeleteClusterResponse* response) const;
  absl::Status DoRestoreCluster(const Caller& caller,
                                const ::priority::v1::RestoreClusterRequest& request,
                                ::priority::v1::Cluster* response) const;
  // Registers an RPC of moves of clusters, which need not be in this cell.
  template <typename Request, typename Response>
  void Move(authorization::Rpc rpc, absl::Status (*work)(storage::Database&, const Boundary&,
                                                         const Caller&, const Request&, Response*));
  absl::Status DoRebuildUsage(const std::string& principal, Rebuild* stream) const;
  void BeginRebuild(Rebuild* stream, const Caller& caller) const;

  // Runs `work` on the cluster named in the request.
  template <typename Request, typename Response>
  void Administer(authorization::Rpc rpc,
                  absl::Status (*work)(const AdministrationCall&, const Request&, Response*));
  // Runs `work` on the backups.
  template <typename Request, typename Response>
  void Back(authorization::Rpc rpc,
            absl::Status (*work)(backups::Backups*, const Request&, Response*));
  // Part of the constructor: the RPCs that list and change a cluster's configuration.
  void AddAdministration();

  PolicyService PolicyParts() const {
    return {options_.database, options_.loop, options_.allowed_services};
  }

  const Options options_;
  const RequestType rebuild_type_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMIN_SERVICE_H_
