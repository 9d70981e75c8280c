// The free resources at the current time of a simulation.
#ifndef PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_
#define PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/plan/cluster.h"

namespace priorityd::laboratory {

// Amounts can be below 0: recorded jobs may use more than the cluster has. Requests come in
// numbered kinds, which differ in more than the number of nodes. For watched kinds the number of
// nodes with room is counted with each change, so that a question about a request does not read all
// nodes.
class FreeNodes {
 public:
  explicit FreeNodes(const plan::Cluster& cluster);

  // The first nodes of the place with room, ascending, as plan::PlanStarts chooses them; fewer than
  // requested if not enough have room. Ignores pools.
  std::vector<int> FirstFit(const plan::Request& request, const plan::Place& place) const;
  // Begins and ends to watch a kind, which must not be watched and be watched, respectively.
  void Watch(int kind, const plan::Amounts& per_node, const plan::Place& place);
  void Unwatch(int kind);
  // Whether so many nodes have room for a watched kind, and the pools too.
  bool HasRoom(int nodes, int kind, const plan::Place& place) const;

  void Allocate(const plan::Request& request, const plan::Place& place,
                absl::Span<const int> nodes);
  void Free(const plan::Request& request, const plan::Place& place, absl::Span<const int> nodes);

 private:
  struct Watched {
    int kind = 0;
    plan::Amounts per_node;
    std::vector<uint8_t> of_type;  // By type: whether its nodes are in the place.
    int nodes = 0;                 // The number with room.
  };

  void Change(int node, const plan::Amounts& amounts,
              void (*change)(const plan::Amounts&, plan::Amounts*));

  std::vector<int> first_node_;  // By type; the last entry is the number of nodes.
  std::vector<plan::Amounts> nodes_;
  std::vector<int> type_of_;  // By node.
  std::vector<int64_t> pools_;
  std::vector<Watched> watched_;
  std::vector<int> place_of_kind_;  // Index into watched_; -1 = not watched.
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_FREE_NODES_H_
