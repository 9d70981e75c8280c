// `prioctl sinfo`: partitions and nodes as Slurm's sinfo shows them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/nodes/cluster_nodes.h"

namespace priorityd::nodes {

// By sinfo's options.
struct SinfoOptions {
  std::vector<std::string> partitions;  // -p
  std::string nodes;                    // -n, a hostlist
  std::string states;                   // -t
  std::string format;                   // -o
  std::string long_format;              // -O
  std::string sort;                     // -S
  bool by_node = false;                 // -N
  bool summary = false;                 // -s
  bool long_listing = false;            // -l
  bool reasons = false;                 // -R
  bool exact = false;                   // -e
  bool header = true;                   // not -h
};

// OK, or INVALID_ARGUMENT for --format, --Format, --sort, --states or --nodes.
absl::Status CheckSinfo(const SinfoOptions& options);

// `preempt_mode`: PreemptMode of the policy. `now`: the time above long tables. INVALID_ARGUMENT as
// in CheckSinfo.
absl::Status PrintSinfo(const ClusterNodes& cluster, const SinfoOptions& options,
                        const std::string& preempt_mode, absl::Time now, std::ostream& out);

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_SINFO_H_
