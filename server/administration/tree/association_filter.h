// A filter of associations in an operator's request.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_FILTER_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_FILTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Every non-empty field must match; of several values, one must.
struct AssociationFilter {
  std::vector<std::string> accounts;
  std::vector<std::string> users;       // "" = the accounts themselves.
  std::vector<std::string> partitions;  // "" = associations without partition.
  std::vector<std::string> parents;
  std::vector<std::string> qos;          // QOS that they may use.
  std::vector<std::string> default_qos;  // Its own or inherited.
  bool with_sub_accounts = false;
  bool only_defaults = false;  // Only a user's association with the default account.

  bool empty() const {
    return accounts.empty() && users.empty() && partitions.empty() && parents.empty() &&
           qos.empty() && default_qos.empty() && !only_defaults;
  }
};

// The matching associations of `tree`, which includes everything above them, in tree order.
// `users`: those with a default account.
std::vector<int64_t> Fitting(const AssociationFilter& filter, const TreeSlice& tree,
                             const UsersByName& users);

// Reads all matching associations with everything above them, and as little else as possible.
absl::StatusOr<TreeSlice> ReadFitting(storage::Transaction& transaction, int32_t cluster_id,
                                      const AssociationFilter& filter);

// Reads the associations `ids` with everything above them.
absl::StatusOr<TreeSlice> ReadWithWays(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::vector<int64_t>& ids);

// Reads the names and positions of a cluster's associations, without attributes.
absl::StatusOr<TreeSlice> ReadOutline(storage::Transaction& transaction, int32_t cluster_id);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_FILTER_H_
