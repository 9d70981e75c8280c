#include "engine/plan/occupancy.h"

#include <algorithm>

namespace priorityd::plan {
namespace {

Occupancy Idle(const Cluster& cluster) {
  Occupancy idle{.free_of_pool = cluster.pools};
  for (size_t type = 0; type < cluster.types.size(); ++type) {
    const NodeType& nodes = cluster.types[type];
    idle.type_of.insert(idle.type_of.end(), nodes.nodes, static_cast<int>(type));
    idle.free.insert(idle.free.end(), nodes.nodes, nodes.each);
  }
  return idle;
}

bool Holds(const Place& place, int type) {
  return std::binary_search(place.types.begin(), place.types.end(), type);
}

std::vector<int> FirstFit(const Occupancy& occupancy, const RunningJob& job) {
  std::vector<int> nodes;
  for (size_t node = 0; node < occupancy.free.size(); ++node) {
    if (nodes.size() == static_cast<size_t>(job.request.nodes)) break;
    if (!Holds(job.place, occupancy.type_of[node])) continue;
    if (Fits(job.request.per_node, occupancy.free[node])) nodes.push_back(static_cast<int>(node));
  }
  return nodes;
}

void Use(const RunningJob& job, const std::vector<int>& nodes, Occupancy* occupancy) {
  for (const int node : nodes) Subtract(job.request.per_node, &occupancy->free[node]);
  for (const PoolNeed& need : job.place.pools) occupancy->free_of_pool[need.pool] -= need.amount;
}

}  // namespace

Occupancy Occupy(const Cluster& cluster, absl::Span<const RunningJob> running) {
  Occupancy occupancy = Idle(cluster);
  occupancy.nodes.resize(running.size());
  for (const bool is_said : {true, false}) {
    for (size_t job = 0; job < running.size(); ++job) {
      if (running[job].nodes.empty() == is_said) continue;
      occupancy.nodes[job] = is_said ? running[job].nodes : FirstFit(occupancy, running[job]);
      Use(running[job], occupancy.nodes[job], &occupancy);
    }
  }
  return occupancy;
}

}  // namespace priorityd::plan
