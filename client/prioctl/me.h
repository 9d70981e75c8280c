// `prioctl me`: all that holds for one user, on one screen.
#ifndef PRIORITYD_CLIENT_PRIOCTL_ME_H_
#define PRIORITYD_CLIENT_PRIOCTL_ME_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints: as whom it was asked and with which roles, her accounts with shares,
// fair-share, usage, QOS and limits, the partitions that she may use, and her jobs with their
// places and reasons. NOT_FOUND where the cluster does not know her.
absl::Status Run(const MeOptions& options, const client::PriorityClient& client, Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_ME_H_
