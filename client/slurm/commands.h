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

// Runs a program with what it reads from standard input, and answers its standard output.
using RunCommand =
    std::function<absl::StatusOr<std::string>(const Arguments& arguments, const std::string& in)>;

struct CommandOptions {
  // Words before each command, such as `ssh login1`; empty = the tools are on this machine.
  Arguments through;
  absl::Duration timeout = absl::Seconds(60);
  size_t max_output_bytes = size_t{256} << 20;
};

// No shell of this machine sees a command. Behind ssh, whose other end has one, words that mean
// something to a shell are quoted. A command that takes longer, or prints more, is killed with all
// that it started. Errors name the command: UNAVAILABLE where it cannot be started or fails, with
// the last of what it said on standard error; DEADLINE_EXCEEDED; RESOURCE_EXHAUSTED.
RunCommand MakeRunCommand(CommandOptions options);

// As a person would type it.
std::string CommandText(const Arguments& arguments);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_COMMANDS_H_
