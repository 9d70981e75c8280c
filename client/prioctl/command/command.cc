#include "client/prioctl/command/command.h"

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

void AddCommand(const Command& command, CLI::App* parent, CommandLine& line) {
  command.add_options(parent->add_subcommand(command.name, command.about), line);
}

void AddCommands(absl::Span<const Command> commands, CLI::App* parent, CommandLine& line) {
  for (const Command& command : commands) AddCommand(command, parent, line);
}

}  // namespace priorityd::prioctl
