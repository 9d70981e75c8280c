// `prioctl cluster list`, `show` and `delete`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_CLUSTERS_H_
#define PRIORITYD_CLIENT_PRIOCTL_CLUSTERS_H_

#include "absl/status/status.h"
#include "client/prioctl/administration_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error.
absl::Status Run(const ClusterListOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const ClusterDeleteOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_CLUSTERS_H_
