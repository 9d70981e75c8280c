#include "server/api/administration/administer_clusters.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "server/administration/clusters/cluster_deletion.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/administration/validate_cluster.h"
#include "server/api/policy/convert_policy.h"
#include "server/messages/convert_time.h"
#include "storage/configuration/cluster_deletion.h"
#include "storage/configuration/cluster_store.h"

namespace priorityd::rpc {

namespace {

namespace v1 = ::priority::v1;

using Clusters = std::vector<storage::DeletedCluster>;

// By name; `restorable_until` is set if they are `deleted`.
absl::StatusOr<Clusters> ReadClusters(storage::Database& database, bool deleted) {
  return database.Read([deleted](storage::Transaction& transaction) -> absl::StatusOr<Clusters> {
    if (deleted) return storage::ClusterDeletion(transaction).ListRestorable();
    auto live = storage::ClusterStore(transaction).List();
    if (!live.ok()) return live.status();
    absl::c_sort(*live, [](const auto& a, const auto& b) { return a.name < b.name; });
    Clusters clusters;
    for (storage::Cluster& cluster : *live) clusters.push_back({std::move(cluster), {}});
    return clusters;
  });
}

}  // namespace

absl::Status ListClusters(storage::Database& database, const Boundary& boundary,
                          const Caller& caller, const v1::ListClustersRequest& request,
                          v1::ListClustersResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto clusters = ReadClusters(database, request.deleted());
  if (!clusters.ok()) return clusters.status();
  const absl::flat_hash_set<std::string> wanted(request.names().begin(), request.names().end());
  for (const auto& [cluster, restorable_until] : *clusters) {
    if (!wanted.empty() && !wanted.contains(cluster.name)) continue;
    const bool may_see =
        boundary.CheckCluster(authorization::Rpc::kListClusters, caller, cluster.name).ok();
    if (!may_see) continue;
    v1::Cluster* row = response->add_clusters();
    ToProto(cluster, row);
    if (request.deleted()) ToProto(restorable_until, row->mutable_restorable_until());
  }
  return absl::OkStatus();
}

absl::Status DeleteCluster(storage::Database& database, const Boundary& boundary,
                           const Caller& caller, absl::Time now,
                           const std::function<bool()>& may_go_on,
                           const v1::DeleteClusterRequest& request,
                           v1::DeleteClusterResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kDeleteCluster, caller, request.name());
  if (!may.ok()) return may;
  auto gone =
      administration::DeleteCluster(database, request.name(), request.purge(),
                                    {caller.ToString(), now, request.validate_only()}, may_go_on);
  if (!gone.ok()) return gone.status();
  response->set_associations(gone->contents.associations);
  response->set_jobs(gone->contents.jobs);
  response->set_records(gone->contents.records);
  if (gone->restorable_until.has_value()) {
    ToProto(*gone->restorable_until, response->mutable_restorable_until());
  }
  return absl::OkStatus();
}

absl::Status RestoreCluster(storage::Database& database, const Boundary& boundary,
                            const Caller& caller, absl::Time now,
                            const v1::RestoreClusterRequest& request, v1::Cluster* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kRestoreCluster, caller, request.name());
  if (!may.ok()) return may;
  auto cluster = administration::RestoreCluster(database, request.name(),
                                                {caller.ToString(), now, request.validate_only()});
  if (!cluster.ok()) return cluster.status();
  ToProto(*cluster, response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
