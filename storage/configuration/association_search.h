// Reads a part of the association tree.
#ifndef STORAGE_CONFIGURATION_ASSOCIATION_SEARCH_H_
#define STORAGE_CONFIGURATION_ASSOCIATION_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/configuration/association_store.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// (account, user, partition); "" as in Association.
struct AssociationName {
  std::string account;
  std::string user;
  std::string partition;
};

// Associations match if every field that is set matches; a field matches if any of its values does.
struct AssociationSeed {
  std::optional<std::vector<std::string>> accounts = std::nullopt;
  std::optional<std::vector<std::string>> users = std::nullopt;  // "" = accounts themselves.
  std::optional<std::vector<int64_t>> ids = std::nullopt;
  // The parent accounts. REQUIRES: no other field is set.
  std::optional<std::vector<std::string>> parents = std::nullopt;
};

// Every list has associations that are not deleted, in the order of ids, with all their ancestors
// including root.
class AssociationSearch {
 public:
  explicit AssociationSearch(Transaction& transaction) : transaction_(transaction) {}

  // The existing ones of these names.
  absl::StatusOr<std::vector<Association>> Named(int32_t cluster_id,
                                                 absl::Span<const AssociationName> names);
  // The matching ones; `with_below` includes everything below them.
  absl::StatusOr<std::vector<Association>> Fitting(int32_t cluster_id, const AssociationSeed& seed,
                                                   bool with_below);
  // For each name, in order, the id of the association of that name that was deleted last; 0 =
  // none.
  absl::StatusOr<std::vector<int64_t>> LastDeleted(int32_t cluster_id,
                                                   absl::Span<const AssociationName> names);
  // These and all above them, deleted ones too.
  absl::StatusOr<std::vector<Association>> WithAbove(int32_t cluster_id,
                                                     const std::vector<int64_t>& ids);
  // All associations of a cluster; reads only names and parents.
  absl::StatusOr<std::vector<Association>> Outline(int32_t cluster_id);
  // Deleted ones too: all of a cluster, or those below this one; counts `most` of them at most.
  absl::StatusOr<int64_t> CountAll(int32_t cluster_id, int64_t most);
  absl::StatusOr<int64_t> CountBelow(int32_t cluster_id, int64_t id, int64_t most);
  // Whether the cluster has a root association.
  absl::StatusOr<bool> HasRoot(int32_t cluster_id);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_ASSOCIATION_SEARCH_H_
