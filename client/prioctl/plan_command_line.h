// How `prioctl plan` and `prioctl preempt` are typed.
#ifndef PRIORITYD_CLIENT_PRIOCTL_PLAN_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_PLAN_COMMAND_LINE_H_

#include <string>

#include "client/prioctl/options.h"
#include "client/prioctl/plan_options.h"

namespace priorityd::prioctl {

// --nodes FILE, and the words of its help.
CLI::Option* AddNodes(CLI::App* app, std::string& file);

void AddPlan(CLI::App& parent, CommandLine& line);
void AddPreempt(CLI::App& parent, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_PLAN_COMMAND_LINE_H_
