#include "server/recalculation/deleted_clusters.h"

namespace priorityd::recalculation {

std::vector<std::string> DeletedClusters::Find(
    const std::vector<storage::ClusterStanding>& standings, const ClusterNames& names,
    const std::vector<std::string>& known) {
  absl::btree_map<std::string, int32_t> present;
  for (const storage::ClusterStanding& standing : standings) present[standing.name] = standing.id;
  std::vector<std::string> deleted;
  for (const std::string& cluster : known) {
    if (names.has_value() && !names->contains(cluster)) continue;
    const auto now = present.find(cluster);
    const auto before = ids_.find(cluster);
    const bool is_another =
        now != present.end() && before != ids_.end() && now->second != before->second;
    if (now != present.end() && !is_another) continue;
    deleted.push_back(cluster);
    ids_.erase(cluster);
  }
  for (const auto& [cluster, id] : present) ids_[cluster] = id;
  return deleted;
}

}  // namespace priorityd::recalculation
