#include "engine/laboratory/free_nodes.h"

#include <algorithm>
#include <utility>

namespace priorityd::laboratory {

FreeNodes::FreeNodes(const plan::Cluster& cluster) : first_node_{0}, pools_(cluster.pools) {
  for (const plan::NodeType& type : cluster.types) {
    type_of_.insert(type_of_.end(), type.nodes, static_cast<int>(first_node_.size()) - 1);
    nodes_.insert(nodes_.end(), type.nodes, type.each);
    first_node_.push_back(static_cast<int>(nodes_.size()));
  }
}

std::vector<int> FreeNodes::FirstFit(const plan::Request& request, const plan::Place& place) const {
  std::vector<int> fits;
  for (const int type : place.types) {
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      if (fits.size() == static_cast<size_t>(request.nodes)) return fits;
      if (plan::Fits(request.per_node, nodes_[node])) fits.push_back(node);
    }
  }
  return fits;
}

void FreeNodes::Watch(int kind, const plan::Amounts& per_node, const plan::Place& place) {
  if (place_of_kind_.size() <= static_cast<size_t>(kind)) place_of_kind_.resize(kind + 1, -1);
  place_of_kind_[kind] = static_cast<int>(watched_.size());
  Watched& watched = watched_.emplace_back();
  watched.kind = kind;
  watched.per_node = per_node;
  watched.of_type.resize(first_node_.size() - 1);
  for (const int type : place.types) {
    watched.of_type[type] = 1;
    for (int node = first_node_[type]; node < first_node_[type + 1]; ++node) {
      watched.nodes += plan::Fits(per_node, nodes_[node]);
    }
  }
}

void FreeNodes::Unwatch(int kind) {
  const int place = std::exchange(place_of_kind_[kind], -1);
  if (place + 1 < static_cast<int>(watched_.size())) {
    watched_[place] = std::move(watched_.back());
    place_of_kind_[watched_[place].kind] = place;
  }
  watched_.pop_back();
}

bool FreeNodes::HasRoom(int nodes, int kind, const plan::Place& place) const {
  return nodes <= watched_[place_of_kind_[kind]].nodes &&
         std::all_of(place.pools.begin(), place.pools.end(),
                     [&](const plan::PoolNeed& need) { return need.amount <= pools_[need.pool]; });
}

void FreeNodes::Allocate(const plan::Request& request, const plan::Place& place,
                         absl::Span<const int> nodes) {
  for (const int node : nodes) Change(node, request.per_node, plan::Subtract);
  for (const plan::PoolNeed& need : place.pools) pools_[need.pool] -= need.amount;
}

void FreeNodes::Free(const plan::Request& request, const plan::Place& place,
                     absl::Span<const int> nodes) {
  for (const int node : nodes) Change(node, request.per_node, plan::Add);
  for (const plan::PoolNeed& need : place.pools) pools_[need.pool] += need.amount;
}

void FreeNodes::Change(int node, const plan::Amounts& amounts,
                       void (*change)(const plan::Amounts&, plan::Amounts*)) {
  const plan::Amounts before = nodes_[node];
  change(amounts, &nodes_[node]);
  for (Watched& watched : watched_) {
    if (watched.of_type[type_of_[node]] == 0) continue;
    watched.nodes += plan::Fits(watched.per_node, nodes_[node]);
    watched.nodes -= plan::Fits(watched.per_node, before);
  }
}

}  // namespace priorityd::laboratory
