// `scontrol show node`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_SHEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_SHEET_H_

#include <string>

#include "client/prioctl/nodes/cluster_nodes.h"

namespace priorityd::nodes {

// All that is known of a node, by scontrol's names, in its order and lines; `one_line` as
// `scontrol -o`. What only slurmctld and slurmd know (load, addresses, versions, boot times) is
// left out; so are CPUAlloc, AllocMem and AllocTRES in state UNKNOWN. Ends with the line.
std::string NodeSheet(const Node& node, bool one_line);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_NODE_SHEET_H_
