// The commands on a site: its files, clusters, users and the service's state.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SITE_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SITE_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kMeCommand;
extern const Command kStatusCommand;
extern const Command kAuditCommand;
extern const Command kAliasCommand;
extern const Command kExportCommand;
extern const Command kImportCommand;
extern const Command kImportUndoCommand;
extern const Command kBackupCommand;
extern const Command kClusterCommand;
extern const Command kDomainCommand;
extern const Command kFleetCommand;
extern const Command kLeaseCommand;
extern const Command kUserCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SITE_COMMANDS_H_
