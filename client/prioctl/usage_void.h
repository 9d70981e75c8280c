// `prioctl usage void` and `usage restore`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_VOID_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_VOID_H_

#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service, round after round, and prints what was voided or restored. Each returns what
// went wrong, for one line on standard error.
absl::Status Run(const UsageVoidOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const UsageRestoreOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_VOID_H_
