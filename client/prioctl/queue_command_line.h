// Reads the command line of `prioctl queue`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Adds the commands to `parent`; a parsed one sets line.command.
void AddQueue(CLI::App& parent, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMAND_LINE_H_
