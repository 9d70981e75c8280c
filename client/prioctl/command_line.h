// The parsed command line of prioctl.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_

#include <string>
#include <variant>

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

// A command line that asks for help or the version, or is wrong.
struct Exit {
  int code = 0;      // 0, or 2 for a wrong command line
  std::string text;  // for standard output, or for standard error if wrong
};

// Reads the command line; the one returned has a task. Called under the name of a tool of Slurm's
// (a link), prioctl is that tool; see Tools in commands.h.
std::variant<CommandLine, Exit> ParseCommandLine(int argc, const char* const* argv);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_
