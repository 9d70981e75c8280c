// The commands on sreport.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kSreportCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_COMMANDS_H_
