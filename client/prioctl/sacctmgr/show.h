// `show` and `list`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SHOW_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SHOW_H_

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Asks the service and prints a table, or its answer with settings.json.
absl::Status Show(const Command& command, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SHOW_H_
