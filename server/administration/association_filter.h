// Which associations an operator means.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_FILTER_H_
#define PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_FILTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/association_plan.h"
#include "server/administration/tree_slice.h"
#include "storage/association_store.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// Every field that is not empty must fit; of several values one must.
struct AssociationFilter {
  std::vector<std::string> accounts;
  std::vector<std::string> users;       // "" = the accounts themselves.
  std::vector<std::string> partitions;  // "" = those for none.
  std::vector<std::string> parents;
  std::vector<std::string> qos;          // That they may use.
  std::vector<std::string> default_qos;  // Its own or inherited.
  bool with_sub_accounts = false;
  bool only_defaults = false;  // Of a user the association with her default account.

  bool empty() const {
    return accounts.empty() && users.empty() && partitions.empty() && parents.empty() &&
           qos.empty() && default_qos.empty() && !only_defaults;
  }
};

// What fits, of `tree`, which has what is above of it too, in tree order. `users`: those with a
// default account.
std::vector<int64_t> Fitting(const AssociationFilter& filter, const TreeSlice& tree,
                             const UsersByName& users);

// A part of the tree that has all that fits, with all above it; no more of it than can be helped.
absl::StatusOr<TreeSlice> ReadFitting(storage::Transaction& transaction, int32_t cluster_id,
                                      const AssociationFilter& filter);

// What `ids` are, with all above them.
absl::StatusOr<TreeSlice> ReadWithWays(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::vector<int64_t>& ids);

// The names of a cluster's associations and where they stand; nothing that is set of them.
absl::StatusOr<TreeSlice> ReadOutline(storage::Transaction& transaction, int32_t cluster_id);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_FILTER_H_
