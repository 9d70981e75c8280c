// The options of Slurm's own tools: prioctl's subcommands sshare, sprio and sreport.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Gives a subcommand's options to the command line once they are read.
template <typename Options>
std::shared_ptr<Options> Adopt(CLI::App* app, CommandLine& line) {
  auto options = std::make_shared<Options>();
  app->callback([options, &line] { line.command = *options; });
  return options;
}

inline void AddJson(CLI::App* app, bool& json) {
  app->add_flag("--json", json, "Print the answer as one JSON document");
}

// A time in RFC 3339.
void AddTime(CLI::App* app, const std::string& name, std::function<void(absl::Time)> set,
             const char* what);
void AddAsOf(CLI::App* app, std::function<void(absl::Time)> set, const char* what);

// A tool of Slurm's that prioctl can be.
struct SlurmTool {
  const char* name;
  const char* about;
  void (*set_options)(CLI::App* app, CommandLine& line);
};

absl::Span<const SlurmTool> SlurmTools();

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMAND_LINE_H_
