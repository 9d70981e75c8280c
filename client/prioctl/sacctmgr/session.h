// One command of sacctmgr.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SESSION_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"

namespace priorityd::sacctmgr {

// Executes `words`, such as {"add", "account", "chem", "fairshare=40"}. Sets `quit` where they
// end a session.
absl::Status Execute(const std::vector<std::string>& words, const client::PriorityClient& client,
                     const Settings& settings, Terminal& terminal, bool* quit);

// The text of `help`, and of --help besides the options.
std::string HelpText();

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SESSION_H_
