// `delete` and `remove`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DELETE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DELETE_H_

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Deletes the named objects. INVALID_ARGUMENT if none is named.
absl::Status Delete(const Command& command, const client::PriorityClient& client,
                    const Settings& settings, Terminal& terminal);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DELETE_H_
