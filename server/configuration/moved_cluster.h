// Clusters that are in another cell.
#ifndef PRIORITYD_SERVER_CONFIGURATION_MOVED_CLUSTER_H_
#define PRIORITYD_SERVER_CONFIGURATION_MOVED_CLUSTER_H_

#include <string>

#include "absl/status/status.h"

namespace priorityd::configuration {

// UNAVAILABLE (CLUSTER_MOVED), as the same call succeeds once the load balancer sends it to `cell`.
absl::Status MovedError(const std::string& cluster, const std::string& cell);

// The cell of such an error, and its cluster; empty for every other status.
std::string CellOf(const absl::Status& status);
std::string MovedClusterOf(const absl::Status& status);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_MOVED_CLUSTER_H_
