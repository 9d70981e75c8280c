// The options that every command of prioctl has, and the links that are Slurm's tools.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GLOBAL_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_GLOBAL_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Which service, which cluster, and how long to wait for it.
void AddGlobalOptions(CLI::App& app, CommandLine& line);

// How calls prove who makes them, and whom they trust.
void AddSecurityOptions(CLI::App& app, CommandLine& line);

// Takes the cluster in the environment if none was typed. Call after the command line is read.
void ReadEnvironment(CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GLOBAL_COMMAND_LINE_H_
