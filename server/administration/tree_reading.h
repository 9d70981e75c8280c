// What a change of the tree reads of it.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_READING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_READING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/administration/association_plan.h"
#include "storage/association_search.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// Gathers parts of a tree; each comes with the ways up. Not thread-safe.
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

  // Writes what is planned. What is named as a deleted one has its usage back (revival.h).
  static absl::Status Store(storage::Transaction& transaction, int32_t cluster_id,
                            const TreePlan& plan, absl::Time now);

 private:
  absl::Status Add(absl::StatusOr<std::vector<storage::Association>> rows);
  absl::Status Add(absl::StatusOr<std::vector<storage::ClusterUser>> users);

  storage::Transaction& transaction_;
  TreeState* const state_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_READING_H_
