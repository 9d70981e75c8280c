// The owners of grants for which the usage of an association counts.
#ifndef PRIORITYD_SERVER_GRANTS_OWNER_INDEX_H_
#define PRIORITYD_SERVER_GRANTS_OWNER_INDEX_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "server/grants/grant_book.h"
#include "storage/grants/usage_pool_store.h"

namespace priorityd::grants {

// Finds the owners of an association once and remembers them. Not thread-safe.
class OwnerIndex {
 public:
  using Path = std::vector<storage::PathStep>;  // The association first, root last.
  // Of an association that the tree lacks: it was deleted, or is newer.
  using FindPath = std::function<absl::StatusOr<Path>(int64_t association_id)>;

  // `book` and `tree` must outlive it.
  OwnerIndex(const GrantBook& book, const priority::AssociationTree& tree, FindPath find_path);

  // Places of stacks of the book, each once: of the accounts on the path to root, deleted ones too,
  // and of the user in the user's own account. Valid until the next call. The errors of FindPath.
  absl::StatusOr<absl::Span<const int>> Of(int64_t association_id);

 private:
  struct Step {
    absl::string_view account;
    absl::string_view user;
  };

  absl::StatusOr<std::vector<int>> Find(int64_t association_id) const;
  std::vector<int> OwnersOn(absl::Span<const Step> path) const;

  const GrantBook& book_;
  const priority::AssociationTree& tree_;
  const FindPath find_path_;
  absl::flat_hash_map<int64_t, std::vector<int>> known_;
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_OWNER_INDEX_H_
