// Associations of a tree that is not read whole.
#ifndef STORAGE_ASSOCIATION_SEARCH_H_
#define STORAGE_ASSOCIATION_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/association_store.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// (account, user, partition); "" as in Association.
struct AssociationName {
  std::string account;
  std::string user;
  std::string partition;
};

// Every field that is set must fit; of several values one must.
struct AssociationSeed {
  std::optional<std::vector<std::string>> accounts = std::nullopt;
  std::optional<std::vector<std::string>> users = std::nullopt;  // "" = accounts themselves.
  std::optional<std::vector<int64_t>> ids = std::nullopt;
  // Of the accounts directly below which they stand. REQUIRES: no other field is set.
  std::optional<std::vector<std::string>> parents = std::nullopt;
};

// Every list of associations has living associations in the order of ids, with all that stand above
// them, root too.
class AssociationSearch {
 public:
  explicit AssociationSearch(Transaction& transaction) : transaction_(transaction) {}

  // Those of these names that are there.
  absl::StatusOr<std::vector<Association>> Named(int32_t cluster_id,
                                                 absl::Span<const AssociationName> names);
  // Those that fit, `with_below` with all that stand below them.
  absl::StatusOr<std::vector<Association>> Fitting(int32_t cluster_id, const AssociationSeed& seed,
                                                   bool with_below);
  // Of each name the id of the association of that name that was deleted last, 0 where there is
  // none; in the order of the names.
  absl::StatusOr<std::vector<int64_t>> LastDeleted(int32_t cluster_id,
                                                   absl::Span<const AssociationName> names);
  // All of a cluster, without those above; only their names and parents are read.
  absl::StatusOr<std::vector<Association>> Outline(int32_t cluster_id);
  // Whether there is a root.
  absl::StatusOr<bool> HasRoot(int32_t cluster_id);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_ASSOCIATION_SEARCH_H_
