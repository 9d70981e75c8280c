// How `prioctl policy replay` is typed.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_COMMAND_LINE_H_

#include "client/prioctl/options.h"

namespace priorityd::prioctl {

void AddPolicyReplay(CLI::App& policy, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_COMMAND_LINE_H_
