// `prioctl sacctmgr`, which changes and shows accounts, users, QOS and clusters as Slurm's sacctmgr
// does.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Carries out one command, or those typed at the prompt. What a single command has to complain
// about is returned; of those at the prompt it is printed, and the exit code is 1 at the end.
absl::Status Run(const SacctmgrOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_
