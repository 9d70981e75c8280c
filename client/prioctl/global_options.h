// The options that every command of prioctl has.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

// The socket on which the priorityd of the Debian package listens.
inline constexpr char kServiceSocket[] = "/run/priorityd/grpc.socket";

// `unix:` and `socket` if the user may open it, otherwise 127.0.0.1:7411.
std::string DefaultServer(const std::string& socket);

// The service, the cluster, and the time to wait for the service.
void AddGlobalOptions(CLI::App& app, CommandLine& line);

// The credentials of calls, and the certificates that they trust.
void AddSecurityOptions(CLI::App& app, CommandLine& line);

// Takes the cluster that the command names, or else the one in the environment, if none was typed.
// Throws CLI::ValidationError if both were typed and differ. Call after the command line is read.
void SettleCluster(CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GLOBAL_OPTIONS_H_
