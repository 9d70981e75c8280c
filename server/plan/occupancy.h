// Who holds which nodes now.
#ifndef PRIORITYD_SERVER_PLAN_OCCUPANCY_H_
#define PRIORITYD_SERVER_PLAN_OCCUPANCY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/plan/amounts.h"
#include "server/plan/cluster.h"

namespace priorityd::plan {

// By the numbers of nodes, pools and running jobs.
struct Occupancy {
  std::vector<int> type_of;           // Of a node.
  std::vector<Amounts> free;          // Of a node; below 0 where jobs hold more than it has.
  std::vector<int64_t> free_of_pool;  // Likewise.
  // Of a running job, ascending; fewer than it wants where nobody said which and not so many have
  // room.
  std::vector<std::vector<int>> nodes;
};

// Jobs that say their nodes are placed first, the others in their order.
Occupancy Occupy(const Cluster& cluster, absl::Span<const RunningJob> running);

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_OCCUPANCY_H_
