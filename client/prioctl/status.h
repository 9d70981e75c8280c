// `prioctl status`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_STATUS_H_
#define PRIORITYD_CLIENT_PRIOCTL_STATUS_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// What prioctl exits with when something has to be done.
inline constexpr int kNeedsAction = 3;

// Asks the service and prints one screen, whose first line says OK or what is wrong. Sets the exit
// code of the console. Returns the errors of the service.
absl::Status Run(const StatusOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_STATUS_H_
