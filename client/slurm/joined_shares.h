// Joins the usage of several clusters in one account tree.
#ifndef PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_
#define PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace priorityd::slurm_frontend {

// The output of sshare for a cluster.
struct ClusterShares {
  std::string cluster;
  std::string shares;  // sshare -a -m -P -o Cluster,Account,User,Partition,RawUsage
  double weight = 1;   // The decay of its usage since then, 0 to 1.
};

// The output of sshare for a cluster (`ours`), with the usage of `others` added to the associations
// of the same account, user and partition. The usage of an association that `ours` lacks counts at
// its nearest parent account in `ours`. INVALID_ARGUMENT names the cluster and
// the line.
absl::StatusOr<std::string> JoinShares(const std::string& ours,
                                       const std::vector<ClusterShares>& others);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_JOINED_SHARES_H_
