// The table of prioctl's commands.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_

#include "absl/types/span.h"
#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

// All commands, in the order of the help.
absl::Span<const Command* const> Commands();

// The commands that are Slurm's tools: a link of the tool's name to prioctl is the tool.
absl::Span<const Command* const> Tools();

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMANDS_H_
