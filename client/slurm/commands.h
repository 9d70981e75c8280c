// Runs Slurm's tools.
#ifndef PRIORITYD_CLIENT_SLURM_COMMANDS_H_
#define PRIORITYD_CLIENT_SLURM_COMMANDS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::slurm_frontend {

using Arguments = std::vector<std::string>;

// Runs a program with this standard input, and returns its standard output.
using RunCommand =
    std::function<absl::StatusOr<std::string>(const Arguments& arguments, const std::string& in)>;

struct CommandOptions {
  // Words before each command, such as `ssh login1`; empty = the tools are on this machine.
  Arguments through;
  absl::Duration timeout = absl::Seconds(60);
  size_t max_output_bytes = size_t{256} << 20;
};

// Commands run without a shell on this machine. Behind ssh, whose other end has one, words with
// shell characters are quoted. A command that takes longer, or prints more, is killed with its
// process group. Errors name the command: UNAVAILABLE if it cannot be started or fails, with
// the end of its standard error; DEADLINE_EXCEEDED; RESOURCE_EXHAUSTED.
RunCommand MakeRunCommand(CommandOptions options);

// In the form of a command line.
std::string CommandText(const Arguments& arguments);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_COMMANDS_H_
