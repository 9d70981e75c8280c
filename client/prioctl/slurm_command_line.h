// The options of Slurm's own tools: prioctl's subcommands sshare, sprio, sreport and sacctmgr.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "absl/types/span.h"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// A tool of Slurm's that prioctl can be.
struct SlurmTool {
  const char* name;
  const char* about;
  void (*set_options)(CLI::App* app, CommandLine& line);
};

absl::Span<const SlurmTool> SlurmTools();

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_
