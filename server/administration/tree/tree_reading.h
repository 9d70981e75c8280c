// Reads the parts of the tree that a change needs.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_READING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_READING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/administration/tree/association_plan.h"
#include "storage/configuration/association_search.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Collects parts of a tree, each with everything above it. Not thread-safe.
class TreeReading {
 public:
  TreeReading(storage::Transaction& transaction, TreeState* state)
      : transaction_(transaction), state_(state) {}

  absl::Status AddNamed(absl::Span<const storage::AssociationName> names);
  absl::Status AddAccounts(const std::vector<std::string>& accounts);
  absl::Status AddFitting(const storage::AssociationSeed& seed, bool with_below);
  absl::Status AddUsers(const std::vector<std::string>& names);
  absl::Status AddCoordinators(const std::vector<std::string>& accounts);
  absl::Status AddQosNames();

  // Stores the plan. A new association with the name of a deleted one gets its usage back
  // (revival.h).
  static absl::Status Store(storage::Transaction& transaction, int32_t cluster_id,
                            const TreePlan& plan, absl::Time now);

 private:
  absl::Status Add(absl::StatusOr<std::vector<storage::Association>> rows);
  absl::Status Add(absl::StatusOr<std::vector<storage::ClusterUser>> users);

  storage::Transaction& transaction_;
  TreeState* const state_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_READING_H_
