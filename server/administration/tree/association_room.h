// The bound on associations beyond which only operators create more.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ROOM_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ROOM_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Deleted ones count, as they are kept with their usage. Those below one account directly below
// root leave room to those of the others; operators have no bound.
struct AssociationRoom {
  int64_t below_account = 100'000;
  int64_t of_cluster = 1'000'000;
};

// Whether `inserts`, which are not stored yet, fit. `tree` contains all above them.
// RESOURCE_EXHAUSTED (TOO_MANY_ASSOCIATIONS) names the account.
absl::Status CheckAssociationRoom(storage::Transaction& transaction, int32_t cluster_id,
                                  TreeSlice tree, const std::vector<storage::Association>& inserts,
                                  const AssociationRoom& room = {});

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ROOM_H_
