// Clusters that were deleted since this replica read of them.
#ifndef PRIORITYD_SERVER_RECALCULATION_DELETED_CLUSTERS_H_
#define PRIORITYD_SERVER_RECALCULATION_DELETED_CLUSTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "server/recalculation/news.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {

// Remembers the ids of clusters: a cluster that was deleted and created again has the same name and
// another id. Has no thread, clock or database. Not thread-safe.
class DeletedClusters {
 public:
  // The clusters of `known` that are missing in `standings`, or have another id than in an earlier
  // call. `names`: the clusters that were looked for; the others are never returned. `known`: names
  // from before the standings were read, as a cluster may be created meanwhile.
  std::vector<std::string> Find(const std::vector<storage::ClusterStanding>& standings,
                                const ClusterNames& names, const std::vector<std::string>& known);

 private:
  absl::btree_map<std::string, int32_t> ids_;  // By name.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_DELETED_CLUSTERS_H_
