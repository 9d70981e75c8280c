// The options that every command of prioctl has.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

// Which service, which cluster, and how long to wait for it.
void AddGlobalOptions(CLI::App& app, CommandLine& line);

// The credentials of calls, and the certificates that they trust.
void AddSecurityOptions(CLI::App& app, CommandLine& line);

// Takes the cluster in the environment if none was typed. Call after the command line is read.
void ReadEnvironment(CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_
