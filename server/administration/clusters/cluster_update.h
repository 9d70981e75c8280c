// The resources of a cluster without NodeName lines.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_UPDATE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_UPDATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/priority/site/tres.h"
#include "server/administration/frame/configured_cluster.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"

namespace priorityd::administration {

// Unset = unchanged.
struct ClusterUpdate {
  std::string name;
  std::optional<uint32_t> nodes;
  std::optional<double> cpus;             // Finite, at least 0.
  std::optional<priority::TresMap> tres;  // Canonical names; replaces the whole map.
  bool allow_missing = false;             // Create it.
};

// Returns the updated cluster. NOT_FOUND (UNKNOWN_CLUSTER); UNAVAILABLE, ABORTED: the database.
absl::StatusOr<storage::Cluster> UpdateCluster(storage::Database& database,
                                               const ClusterUpdate& update,
                                               const ChangeContext& context);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_CLUSTER_UPDATE_H_
