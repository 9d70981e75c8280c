#include "client/examples/batch_frontend/nodes.h"

namespace priorityd::batch_frontend {

std::optional<Allocation> FirstFit(const FreeCpus& free, const NodeRequest& request) {
  Allocation allocation{.cpus_per_node = request.cpus_per_node};
  const size_t wanted = static_cast<size_t>(request.nodes);
  for (size_t node = 0; node < free.size() && allocation.nodes.size() < wanted; ++node) {
    if (free[node] >= request.cpus_per_node) allocation.nodes.push_back(static_cast<int>(node));
  }
  if (allocation.nodes.size() < wanted) return std::nullopt;
  return allocation;
}

void Allocate(const Allocation& allocation, FreeCpus* free) {
  for (const int node : allocation.nodes) (*free)[node] -= allocation.cpus_per_node;
}

void Release(const Allocation& allocation, FreeCpus* free) {
  for (const int node : allocation.nodes) (*free)[node] += allocation.cpus_per_node;
}

}  // namespace priorityd::batch_frontend
