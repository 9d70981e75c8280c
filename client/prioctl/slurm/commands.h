// The commands on Slurm's tools.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kSshareCommand;
extern const Command kSprioCommand;
extern const Command kSacctCommand;
extern const Command kSeffCommand;
extern const Command kSqueueCommand;
extern const Command kScontrolCommand;
extern const Command kScancelCommand;
extern const Command kSinfoCommand;
extern const Command kSacctmgrCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_COMMANDS_H_
