// The states of nodes, by Slurm's names.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_STATE_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_STATE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::nodes {

// In the order in which sinfo sorts them, ascending.
enum class NodeState {
  kUnknown,  // Jobs run in its partition, and nobody states on which nodes.
  kDown,
  kIdle,
  kAllocated,  // All CPUs are allocated.
  kMixed,      // Some are.
  kDrained,    // DRAIN without jobs.
  kDraining,   // DRAIN with jobs.
  kFail,
};

std::string ShortStateText(NodeState state);  // `alloc`
std::string StateText(NodeState state);       // `allocated`

// sinfo's --states: short or long names, also cut short, joined by commas; DRAIN is drained and
// draining. INVALID_ARGUMENT with the names for another word.
absl::StatusOr<std::vector<NodeState>> ParseStates(absl::string_view text);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_STATE_H_
