// Usage of several clusters as that of one account tree.
#ifndef PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_
#define PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace priorityd::slurm_frontend {

// What sshare printed of a cluster.
struct ClusterShares {
  std::string cluster;
  std::string shares;  // sshare -a -m -P -o Cluster,Account,User,Partition,RawUsage
  double weight = 1;   // What became of its usage since, 0 to 1.
};

// What sshare printed of a cluster (`ours`), with the usage of `others` added to the associations
// of the same account, user and partition. What an association used that `ours` does not have
// counts at the nearest account above it which `ours` has. INVALID_ARGUMENT names the cluster and
// the line.
absl::StatusOr<std::string> JoinShares(const std::string& ours,
                                       const std::vector<ClusterShares>& others);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_
