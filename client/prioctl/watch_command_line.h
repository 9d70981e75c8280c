// Reads the command line of `prioctl watch`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_WATCH_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_WATCH_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Adds the command to `parent`; a parsed one sets line.command.
void AddWatch(CLI::App& parent, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_WATCH_COMMAND_LINE_H_
