// `modify` and `update`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_MODIFY_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_MODIFY_H_

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Sets what things have. Without any condition all things of the kind are meant, and asked about.
absl::Status Modify(const Command& command, const client::PriorityClient& client,
                    const Settings& settings, Terminal& terminal);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_MODIFY_H_
