// `prioctl share-history`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SHARE_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_SHARE_HISTORY_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error:
// errors of the service, of the files read, or what the command has to complain about.
absl::Status Run(const ShareHistoryOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SHARE_HISTORY_H_
