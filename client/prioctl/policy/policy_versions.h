// `prioctl policy versions`, `policy rollback`, and `policy diff` of two versions.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_POLICY_VERSIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_POLICY_VERSIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// The differences from version `from` to version `to` (0 = the newest): parameters, then lines of
// texts.
absl::Status DiffVersions(int64_t from, int64_t to, bool json, const client::PriorityClient& client,
                          Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_POLICY_VERSIONS_H_
