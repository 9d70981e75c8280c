// The nodes of the cluster as the service and a slurm.conf know them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_KNOWN_NODES_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_KNOWN_NODES_H_

#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "client/prioctl/nodes/cluster_nodes.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

struct KnownNodes {
  nodes::ClusterNodes cluster;
  std::string preempt_mode;  // PreemptMode of the policy.
};

// Reads the NodeName and PartitionName lines of the file, or of the policy if `file` is empty, the
// partitions and the running jobs. Writes warnings to `err`, each with the tool's name: of lines
// that cannot be read, whose nodes are only counted, and of running jobs that name no nodes or are
// hidden from the caller.
absl::StatusOr<KnownNodes> ReadKnownNodes(const std::string& tool, const std::string& file,
                                          const client::PriorityClient& client, std::ostream& err);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_KNOWN_NODES_H_
