// Reads the command lines of `prioctl what-if` and `prioctl policy diff`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Each adds a command to its parent; a parsed one sets line.command.
void AddWhatIf(CLI::App& parent, CommandLine& line);
void AddPolicyDiff(CLI::App& policy, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_COMMAND_LINE_H_
