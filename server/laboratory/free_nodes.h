// What is free at the moment.
#ifndef PRIORITYD_SERVER_LABORATORY_FREE_NODES_H_
#define PRIORITYD_SERVER_LABORATORY_FREE_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/plan/cluster.h"

namespace priorityd::laboratory {

// Amounts may be below 0: what was recorded may be more than there is.
class FreeNodes {
 public:
  explicit FreeNodes(const plan::Cluster& cluster);

  // The first nodes of the place that have room, ascending, as plan::PlanStarts takes them; fewer
  // than the request wants if not so many have. Pools aside.
  std::vector<int> FirstFit(const plan::Request& request, const plan::Place& place) const;
  // Whether the request fits, pools included.
  bool HasRoom(const plan::Request& request, const plan::Place& place) const;

  void Take(const plan::Request& request, const plan::Place& place, absl::Span<const int> nodes);
  void Give(const plan::Request& request, const plan::Place& place, absl::Span<const int> nodes);

 private:
  // Calls `use` with nodes that have room, up to the number wanted.
  template <typename Use>
  void ForEachFit(const plan::Request& request, const plan::Place& place, Use use) const;

  std::vector<int> first_node_;  // Of each type, and one behind.
  std::vector<plan::Amounts> nodes_;
  std::vector<int64_t> pools_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_FREE_NODES_H_
