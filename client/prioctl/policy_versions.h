// `prioctl policy versions`, `policy rollback`, and `policy diff` of two versions.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_VERSIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_VERSIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "client/prioctl/administration_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Asks the service and prints the answer. Returns what went wrong, for one line on standard error.
absl::Status Run(const PolicyVersionsOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const PolicyRollbackOptions& options, const client::PriorityClient& client,
                 Console& console);

// What differs from version `from` to version `to` (0 = the newest): parameters, then lines of the
// texts.
absl::Status DiffVersions(int64_t from, int64_t to, bool json, const client::PriorityClient& client,
                          Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_VERSIONS_H_
