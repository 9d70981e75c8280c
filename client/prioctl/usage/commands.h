// The commands on usage: recorded, charged, corrected and budgeted.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kRecordCommand;
extern const Command kImportSacctCommand;
extern const Command kBudgetCommand;
extern const Command kQosUsageCommand;
extern const Command kCostCommand;
extern const Command kSharesCommand;
extern const Command kShareHistoryCommand;
extern const Command kResetUsageCommand;
extern const Command kRebuildUsageCommand;
extern const Command kRecalculateCommand;
extern const Command kUsageCommand;
extern const Command kUsageSourcesCommand;
extern const Command kCollectCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_COMMANDS_H_
