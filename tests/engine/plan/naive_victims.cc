#include "tests/engine/plan/naive_victims.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/plan/occupancy.h"

namespace priorityd::plan {
namespace {

// Where the job fits at `place` when the jobs of `gone` do not run.
std::vector<int> NodesWithout(uint32_t gone, const Occupancy& occupancy,
                              const std::vector<RunningJob>& running, const WaitingJob& job,
                              const Place& place, const std::vector<int>& candidates) {
  std::vector<Amounts> free = occupancy.free;
  std::vector<int64_t> pools = occupancy.free_of_pool;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if ((gone >> i & 1) == 0) continue;
    for (const int node : occupancy.nodes[candidates[i]]) {
      Add(running[candidates[i]].request.per_node, &free[node]);
    }
    for (const PoolNeed& held : running[candidates[i]].place.pools) pools[held.pool] += held.amount;
  }
  for (const PoolNeed& need : place.pools) {
    if (pools[need.pool] < need.amount) return {};
  }
  std::vector<int> nodes;
  for (size_t node = 0; node < free.size(); ++node) {
    if (std::count(place.types.begin(), place.types.end(), occupancy.type_of[node]) == 0) continue;
    if (Fits(job.request.per_node, free[node])) nodes.push_back(static_cast<int>(node));
  }
  if (nodes.size() < size_t(job.request.nodes)) return {};
  nodes.resize(job.request.nodes);
  return nodes;
}

}  // namespace

// Of numbers with as many bits the smaller one has its highest bit further in front.
std::optional<Victims> NaiveVictims(const Cluster& cluster, const std::vector<RunningJob>& running,
                                    const WaitingJob& job, const std::vector<int>& candidates) {
  const Occupancy occupancy = Occupy(cluster, running);
  for (int count = 0; count <= static_cast<int>(candidates.size()); ++count) {
    for (size_t place = 0; place < job.places.size(); ++place) {
      for (uint32_t gone = 0; gone < 1u << candidates.size(); ++gone) {
        if (std::popcount(gone) != count) continue;
        auto nodes = NodesWithout(gone, occupancy, running, job, job.places[place], candidates);
        if (nodes.empty()) continue;
        Victims victims{.place = static_cast<int>(place), .nodes = nodes};
        for (size_t i = 0; i < candidates.size(); ++i) {
          if (gone >> i & 1) victims.running.push_back(candidates[i]);
        }
        return victims;
      }
    }
  }
  return std::nullopt;
}

}  // namespace priorityd::plan
