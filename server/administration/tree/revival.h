// Restores the identity of associations that are created again.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_REVIVAL_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_REVIVAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/tree/tree_rights.h"
#include "storage/configuration/association_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Gives each of `inserts` with the name of a deleted association that association's id and thereby
// its usage (as Slurm's rows with deleted=1); parents in `inserts` and `updates` follow. Of several
// deleted ones of a name, takes the last. The other inserts keep their reserved ids.
absl::Status ReviveDeleted(storage::Transaction& transaction, int32_t cluster_id,
                           std::vector<storage::Association>* inserts,
                           std::vector<storage::Association>* updates);

// PERMISSION_DENIED (ROLE_REQUIRED) if one of `inserts` has the name of a deleted association whose
// usage the caller may not move: that of TreeRights::CheckRevived.
absl::Status CheckRevivals(storage::Transaction& transaction, int32_t cluster_id,
                           const std::vector<storage::Association>& inserts,
                           const TreeRights& rights);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_REVIVAL_H_
