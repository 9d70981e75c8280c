// `add` and `create`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ADD_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ADD_H_

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Adds the objects that do not exist yet. INVALID_ARGUMENT where a name is missing.
absl::Status Add(const Command& command, const client::PriorityClient& client,
                 const Settings& settings, Terminal& terminal);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ADD_H_
