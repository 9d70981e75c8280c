// The commands on grants of usage.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GRANTS_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_GRANTS_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kGrantCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GRANTS_COMMANDS_H_
