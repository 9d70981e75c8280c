#include "server/configuration/find_cluster.h"

#include "absl/status/status.h"
#include "engine/errors/error_details.h"

namespace priorityd::configuration {

absl::StatusOr<storage::Cluster> FindCluster(storage::Transaction& transaction,
                                             const std::string& name) {
  absl::StatusOr<storage::Cluster> cluster = storage::ClusterStore(transaction).Require(name);
  if (!absl::IsNotFound(cluster.status())) return cluster;
  return errors::WithReason(cluster.status(), "UNKNOWN_CLUSTER");
}

}  // namespace priorityd::configuration
