#include "engine/laboratory/free_nodes.h"

#include <algorithm>

namespace priorityd::laboratory {

FreeNodes::FreeNodes(const plan::Cluster& cluster) : first_node_{0}, pools_(cluster.pools) {
  for (const plan::NodeType& type : cluster.types) {
    nodes_.insert(nodes_.end(), type.nodes, type.each);
    first_node_.push_back(static_cast<int>(nodes_.size()));
  }
}

template <typename Use>
void FreeNodes::ForEachFit(const plan::Request& request, const plan::Place& place, Use use) const {
  int found = 0;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      if (found == request.nodes) return;
      if (!plan::Fits(request.per_node, nodes_[node])) continue;
      ++found;
      use(node);
    }
  }
}

std::vector<int> FreeNodes::FirstFit(const plan::Request& request, const plan::Place& place) const {
  std::vector<int> fits;
  ForEachFit(request, place, [&](int node) { fits.push_back(node); });
  return fits;
}

bool FreeNodes::HasRoom(const plan::Request& request, const plan::Place& place) const {
  const bool has_pools =
      std::all_of(place.pools.begin(), place.pools.end(),
                  [&](const plan::PoolNeed& need) { return need.amount <= pools_[need.pool]; });
  int fits = 0;
  if (has_pools) ForEachFit(request, place, [&](int) { ++fits; });
  return fits == request.nodes;
}

void FreeNodes::Allocate(const plan::Request& request, const plan::Place& place,
                         absl::Span<const int> nodes) {
  for (const int node : nodes) plan::Subtract(request.per_node, &nodes_[node]);
  for (const plan::PoolNeed& need : place.pools) pools_[need.pool] -= need.amount;
}

void FreeNodes::Free(const plan::Request& request, const plan::Place& place,
                     absl::Span<const int> nodes) {
  for (const int node : nodes) plan::Add(request.per_node, &nodes_[node]);
  for (const plan::PoolNeed& need : place.pools) pools_[need.pool] += need.amount;
}

}  // namespace priorityd::laboratory
