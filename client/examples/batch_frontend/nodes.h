// The CPUs of a cluster's nodes, and which jobs fit on them.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_NODES_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_NODES_H_

#include <optional>
#include <vector>

namespace priorityd::batch_frontend {

// CPUs on each of so many different nodes, all at once.
struct NodeRequest {
  int nodes = 1;
  int cpus_per_node = 1;

  int cpus() const { return nodes * cpus_per_node; }
  friend bool operator==(const NodeRequest&, const NodeRequest&) = default;
  friend bool operator<(const NodeRequest& a, const NodeRequest& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.cpus_per_node < b.cpus_per_node;
  }
};

// The allocation of a job.
struct Allocation {
  std::vector<int> nodes;  // Their numbers from 0, ascending.
  int cpus_per_node = 0;

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// Free CPUs by the node's number.
using FreeCpus = std::vector<int>;

// The first nodes that have enough free CPUs; unset if there are not enough of them.
std::optional<Allocation> FirstFit(const FreeCpus& free, const NodeRequest& request);

// Removes the allocated CPUs from `free`. REQUIRES: it is free.
void Allocate(const Allocation& allocation, FreeCpus* free);

// Returns it.
void Release(const Allocation& allocation, FreeCpus* free);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_NODES_H_
