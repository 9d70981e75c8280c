#include "server/api/administration/administer_clusters.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "server/administration/cluster_deletion.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/policy/convert_policy.h"
#include "storage/cluster_store.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status ListClusters(storage::Database& database, const Boundary& boundary,
                          const Caller& caller, const v1::ListClustersRequest& request,
                          v1::ListClustersResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto clusters = database.Read(
      [](storage::Transaction& transaction) { return storage::ClusterStore(transaction).List(); });
  if (!clusters.ok()) return clusters.status();
  absl::c_sort(*clusters, [](const auto& a, const auto& b) { return a.name < b.name; });
  const absl::flat_hash_set<std::string> wanted(request.names().begin(), request.names().end());
  for (const storage::Cluster& cluster : *clusters) {
    if (!wanted.empty() && !wanted.contains(cluster.name)) continue;
    const bool may_see =
        boundary.CheckCluster(authorization::Rpc::kListClusters, caller, cluster.name).ok();
    if (may_see) ToProto(cluster, response->add_clusters());
  }
  return absl::OkStatus();
}

absl::Status DeleteCluster(storage::Database& database, const Boundary& boundary,
                           const Caller& caller, absl::Time now,
                           const v1::DeleteClusterRequest& request,
                           v1::DeleteClusterResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kDeleteCluster, caller, request.name());
  if (!may.ok()) return may;
  auto gone = administration::DeleteCluster(database, request.name(),
                                            {caller.ToString(), now, request.validate_only()});
  if (!gone.ok()) return gone.status();
  response->set_associations(gone->associations);
  response->set_jobs(gone->jobs);
  response->set_records(gone->records);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
