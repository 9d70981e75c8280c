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

// Whether an active reservation has the node.
enum class Reserved {
  kNo,
  kReserved,
  kMaintenance,  // One with the flag MAINT.
};

// `alloc`; an idle node is `resv` or `maint` in a reservation, and any other one under maintenance
// ends with `$`.
std::string ShortStateText(NodeState state, Reserved reserved = Reserved::kNo);
std::string StateText(NodeState state, Reserved reserved = Reserved::kNo);  // `allocated`

// Ascending in the order in which sinfo sorts.
int CompareStates(NodeState a, Reserved a_reserved, NodeState b, Reserved b_reserved);

// The states that sinfo's --states selects.
struct StateSet {
  std::vector<NodeState> states;
  std::vector<Reserved> reserved;

  // Whether it has the node; an empty set has all.
  bool Has(NodeState state, Reserved of_node) const;
};

// sinfo's --states: short or long names, also cut short, joined by commas; DRAIN is drained and
// draining, RESERVED also MAINT. INVALID_ARGUMENT with the names for another word.
absl::StatusOr<StateSet> ParseStates(absl::string_view text);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_STATE_H_
