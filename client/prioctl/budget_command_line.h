// How the commands about budgets and costs are read.
#ifndef PRIORITYD_CLIENT_PRIOCTL_BUDGET_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_BUDGET_COMMAND_LINE_H_

#include "client/prioctl/budget_options.h"
#include "client/prioctl/options.h"

namespace priorityd::prioctl {

void AddBudget(CLI::App& parent, CommandLine& line);
void AddQosUsage(CLI::App& parent, CommandLine& line);
void AddCost(CLI::App& parent, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_BUDGET_COMMAND_LINE_H_
