// `scontrol show node`, `show hostnames`, `show hostlist` and `show hostlistsorted`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SHOW_NODES_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SHOW_NODES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/jobs/scontrol.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Whether the words of a scontrol command are one of these; words may be cut as scontrol allows.
bool ShowsNodes(const std::vector<std::string>& words);

// Prints what the words ask for. Without a list, `hostnames` is of SLURM_JOB_NODELIST; `-` reads
// the list from standard input, `/PATH` from a file. A node that does not exist sets the exit code
// to 1. REQUIRES: ShowsNodes.
absl::Status ShowNodes(const jobs::ScontrolOptions& options, const std::string& nodes_file,
                       const client::PriorityClient& client, Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SHOW_NODES_H_
