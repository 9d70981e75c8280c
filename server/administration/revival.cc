#include "server/administration/revival.h"

#include "absl/container/flat_hash_map.h"
#include "storage/association_search.h"

namespace priorityd::administration {
namespace {

using Rows = std::vector<storage::Association>;

// Old ids by reserved id.
absl::StatusOr<absl::flat_hash_map<int64_t, int64_t>> OldIds(storage::Transaction& transaction,
                                                             int32_t cluster_id,
                                                             const Rows& inserts) {
  std::vector<storage::AssociationName> names;
  names.reserve(inserts.size());
  for (const storage::Association& row : inserts) {
    names.push_back({row.account, row.user_name, row.partition});
  }
  auto deleted = storage::AssociationSearch(transaction).LastDeleted(cluster_id, names);
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

}  // namespace priorityd::administration
