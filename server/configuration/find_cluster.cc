#include "server/configuration/find_cluster.h"

#include "absl/status/status.h"
#include "engine/errors/error_details.h"
#include "server/configuration/moved_cluster.h"
#include "storage/configuration/cluster_move_store.h"

namespace priorityd::configuration {

absl::StatusOr<storage::Cluster> FindCluster(storage::Transaction& transaction,
                                             const std::string& name) {
  absl::StatusOr<storage::Cluster> cluster = storage::ClusterStore(transaction).Require(name);
  if (!absl::IsNotFound(cluster.status())) return cluster;
  auto move = storage::ClusterMoveStore(transaction).Find(name);
  if (!move.ok()) return move.status();
  const bool is_elsewhere = move->has_value() && ((*move)->state == storage::MoveState::kMoved ||
                                                  (*move)->state == storage::MoveState::kArriving);
  if (is_elsewhere) {
    return MovedError(name, (*move)->cell);
  }
  return errors::WithReason(cluster.status(), "UNKNOWN_CLUSTER");
}

}  // namespace priorityd::configuration
