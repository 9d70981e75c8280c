// The options that several of Slurm's tools have.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_TOOL_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_TOOL_OPTIONS_H_

#include <string>

#include "client/prioctl/command/options.h"

namespace priorityd::prioctl {

// A flag that changes nothing; `why` is its help.
void AddIgnored(CLI::App* app, const std::string& name, const std::string& why);

// --help, --usage, -V and -v.
void AddToolOptions(CLI::App* app, const char* tool);

// The options that choose clusters of a federation, which the service has not.
void AddFederation(CLI::App* app);

// -M, the cluster.
void AddClusters(CLI::App* app, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_TOOL_OPTIONS_H_
