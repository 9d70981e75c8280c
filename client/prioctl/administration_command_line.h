// How policy versions, the audit and clusters are asked about.
#ifndef PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// Each adds commands to their parent; a parsed one sets line.command.
void AddPolicyVersions(CLI::App& policy, CommandLine& line);  // versions, rollback
void AddAudit(CLI::App& parent, CommandLine& line);
// `usage`: void and restore.
void AddUsage(CLI::App& parent, CommandLine& line);
void AddClusterList(CLI::App& cluster, CommandLine& line);  // list, show, delete

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_ADMINISTRATION_COMMAND_LINE_H_
