// The commands on the policy: shown, changed, checked and supposed.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_COMMANDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_COMMANDS_H_

#include "client/prioctl/command/command.h"

namespace priorityd::prioctl {

extern const Command kPolicyLintCommand;
extern const Command kPolicyVersionsCommand;
extern const Command kPolicyRollbackCommand;
extern const Command kWhatIfCommand;
extern const Command kPolicyDiffCommand;
extern const Command kPolicyReplayCommand;
extern const Command kPolicyCommand;

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_COMMANDS_H_
