// Finds a cluster by name.
#ifndef PRIORITYD_SERVER_CONFIGURATION_FIND_CLUSTER_H_
#define PRIORITYD_SERVER_CONFIGURATION_FIND_CLUSTER_H_

#include <string>

#include "absl/status/statusor.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::configuration {

// NOT_FOUND (UNKNOWN_CLUSTER) if there is none of that name, or no longer; UNAVAILABLE
// (CLUSTER_MOVED) if it is in another cell.
absl::StatusOr<storage::Cluster> FindCluster(storage::Transaction& transaction,
                                             const std::string& name);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_FIND_CLUSTER_H_
