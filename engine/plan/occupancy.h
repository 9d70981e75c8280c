// The nodes that each running job uses now.
#ifndef PRIORITYD_ENGINE_PLAN_OCCUPANCY_H_
#define PRIORITYD_ENGINE_PLAN_OCCUPANCY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/plan/amounts.h"
#include "engine/plan/cluster.h"

namespace priorityd::plan {

// Indexed by the numbers of nodes, pools and running jobs.
struct Occupancy {
  std::vector<int> type_of;           // By node.
  std::vector<Amounts> free;          // By node; below 0 if jobs use more than the node has.
  std::vector<int64_t> free_of_pool;  // By pool; likewise.
  // By running job, ascending. Fewer than requested if the nodes are unknown and too few have room.
  std::vector<std::vector<int>> nodes;
};

// Places jobs with known nodes first, then the others in their order.
Occupancy Occupy(const Cluster& cluster, absl::Span<const RunningJob> running);

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_OCCUPANCY_H_
