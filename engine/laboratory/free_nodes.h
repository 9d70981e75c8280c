// The free resources at the current time of a simulation.
#ifndef PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_
#define PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/plan/cluster.h"

namespace priorityd::laboratory {

// Amounts can be below 0: recorded jobs may use more than the cluster has.
class FreeNodes {
 public:
  explicit FreeNodes(const plan::Cluster& cluster);

  // The first nodes of the place with room, ascending, as plan::PlanStarts chooses them; fewer than
  // requested if not enough have room. Ignores pools.
  std::vector<int> FirstFit(const plan::Request& request, const plan::Place& place) const;
  // Whether the request fits, pools included.
  bool HasRoom(const plan::Request& request, const plan::Place& place) const;

  void Allocate(const plan::Request& request, const plan::Place& place,
                absl::Span<const int> nodes);
  void Free(const plan::Request& request, const plan::Place& place, absl::Span<const int> nodes);

 private:
  // Calls `use` for each node with room, up to the requested number.
  template <typename Use>
  void ForEachFit(const plan::Request& request, const plan::Place& place, Use use) const;

  std::vector<int> first_node_;  // By type; the last entry is the number of nodes.
  std::vector<plan::Amounts> nodes_;
  std::vector<int64_t> pools_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_
