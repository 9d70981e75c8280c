// Compares leased limits with those above their associations.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASED_LIMITS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASED_LIMITS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/tree_rights.h"
#include "server/administration/tree_slice.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// PERMISSION_DENIED (ROLE_REQUIRED) if the caller may not set in `tree` what a lease that has not
// ended at `time`, begun or not, sets of one of the associations `ids`; names the lease.
absl::Status CheckLeasedLimits(storage::Transaction& transaction, int32_t cluster_id,
                               const TreeSlice& tree, const std::vector<int64_t>& ids,
                               const TreeRights& rights, absl::Time time);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASED_LIMITS_H_
