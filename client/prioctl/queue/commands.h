// The commands on the queue: ranked, explained, planned, changed and watched.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kRankCommand;
extern const Command kExplainCommand;
extern const Command kSubmitCheckCommand;
extern const Command kPlanCommand;
extern const Command kPreemptCommand;
extern const Command kQueueCommand;
extern const Command kImportSqueueCommand;
extern const Command kWatchCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_COMMANDS_H_
