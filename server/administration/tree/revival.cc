#include "server/administration/tree/revival.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "storage/configuration/association_search.h"

namespace priorityd::administration {
namespace {

using Rows = std::vector<storage::Association>;

// Of each, the id of the deleted one of its name; 0 = none.
absl::StatusOr<std::vector<int64_t>> DeletedIds(storage::Transaction& transaction,
                                                int32_t cluster_id, const Rows& inserts) {
  std::vector<storage::AssociationName> names;
  names.reserve(inserts.size());
  for (const storage::Association& row : inserts) {
    names.push_back({row.account, row.user_name, row.partition});
  }
  return storage::AssociationSearch(transaction).LastDeleted(cluster_id, names);
}

// Old ids by reserved id.
absl::StatusOr<absl::flat_hash_map<int64_t, int64_t>> OldIds(storage::Transaction& transaction,
                                                             int32_t cluster_id,
                                                             const Rows& inserts) {
  auto deleted = DeletedIds(transaction, cluster_id, inserts);
  if (!deleted.ok()) return deleted.status();
  absl::flat_hash_map<int64_t, int64_t> old_ids;
  for (size_t i = 0; i < inserts.size(); ++i) {
    if ((*deleted)[i] != 0) old_ids[inserts[i].id] = (*deleted)[i];
  }
  return old_ids;
}

}  // namespace

absl::Status ReviveDeleted(storage::Transaction& transaction, int32_t cluster_id, Rows* inserts,
                           Rows* updates) {
  if (inserts->empty()) return absl::OkStatus();
  auto old_ids = OldIds(transaction, cluster_id, *inserts);
  if (!old_ids.ok()) return old_ids.status();
  const auto old_id = [&](int64_t id) {
    const auto found = old_ids->find(id);
    return found == old_ids->end() ? id : found->second;
  };
  for (storage::Association& row : *inserts) row.id = old_id(row.id);
  for (Rows* rows : {inserts, updates}) {
    for (storage::Association& row : *rows) {
      if (row.parent_id.has_value()) row.parent_id = old_id(*row.parent_id);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRevivals(storage::Transaction& transaction, int32_t cluster_id,
                           const Rows& inserts, const TreeRights& rights) {
  if (rights.is_operator || inserts.empty()) return absl::OkStatus();
  auto ids = DeletedIds(transaction, cluster_id, inserts);
  if (!ids.ok()) return ids.status();
  ids->erase(std::remove(ids->begin(), ids->end(), 0), ids->end());
  if (ids->empty()) return absl::OkStatus();
  auto rows = storage::AssociationSearch(transaction).WithAbove(cluster_id, *ids);
  if (!rows.ok()) return rows.status();
  const TreeSlice tree(*std::move(rows));
  for (const int64_t id : *ids) {
    if (absl::Status s = rights.CheckRevived(tree, *tree.ById(id)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
