#include "server/administration/tree/association_room.h"

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "storage/configuration/association_search.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;

// The account at or above the row that is directly below root; null for root and its users.
const Row* TopAccount(const TreeSlice& tree, const Row& row) {
  const Row* top = nullptr;
  for (const Row* at = &row; at != nullptr && !IsRoot(*at); at = tree.Parent(*at)) top = at;
  return top == nullptr || !top->user_name.empty() ? nullptr : top;
}

absl::Status CheckCount(const absl::StatusOr<int64_t>& present, int64_t added, int64_t most,
                        const std::string& where) {
  if (!present.ok() || *present + added <= most) return present.status();
  return errors::WithReason(absl::ResourceExhaustedError(
                                absl::StrCat("associations: got more than ", most, where,
                                             " with deleted ones, want an operator to add others")),
                            "TOO_MANY_ASSOCIATIONS");
}

}  // namespace

absl::Status CheckAssociationRoom(storage::Transaction& transaction, int32_t cluster_id,
                                  TreeSlice tree, const std::vector<Row>& inserts,
                                  const AssociationRoom& room) {
  if (inserts.empty()) return absl::OkStatus();
  for (const Row& row : inserts) tree.Put(row);
  std::map<int64_t, int64_t> added;  // By the id of the top account.
  for (const Row& row : inserts) {
    if (const Row* top = TopAccount(tree, row); top != nullptr) ++added[top->id];
  }
  storage::AssociationSearch search(transaction);
  absl::Status status =
      CheckCount(search.CountAll(cluster_id, room.of_cluster), static_cast<int64_t>(inserts.size()),
                 room.of_cluster, " in the cluster");
  for (const auto& [top, count] : added) {
    if (!status.ok()) break;
    status =
        CheckCount(search.CountBelow(cluster_id, top, room.below_account), count,
                   room.below_account, absl::StrCat(" below account ", tree.ById(top)->account));
  }
  return status;
}

}  // namespace priorityd::administration
