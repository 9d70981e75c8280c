// Reads some users of a cluster, and the users with jobs in its accounts.
#ifndef STORAGE_CONFIGURATION_CLUSTER_USER_SEARCH_H_
#define STORAGE_CONFIGURATION_CLUSTER_USER_SEARCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Lists are in bytewise order of names.
class ClusterUserSearch {
 public:
  explicit ClusterUserSearch(Transaction& transaction) : transaction_(transaction) {}

  // The existing ones of these names.
  absl::StatusOr<std::vector<ClusterUser>> Named(int32_t cluster_id,
                                                 const std::vector<std::string>& names);
  // The first `most` after `name`; "" = from the beginning.
  absl::StatusOr<std::vector<ClusterUser>> After(int32_t cluster_id, const std::string& name,
                                                 int64_t most);
  // The users that coordinate one of these accounts.
  absl::StatusOr<std::vector<ClusterUser>> Coordinating(int32_t cluster_id,
                                                        const std::vector<std::string>& accounts);
  // The number of tracked jobs that have not ended and name one of these accounts.
  absl::StatusOr<int64_t> CountJobs(int32_t cluster_id, const std::vector<std::string>& accounts);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_USER_SEARCH_H_
