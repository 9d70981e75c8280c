// Compares limits with those above their associations where either are leased.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_LIMITS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_rights.h"
#include "server/administration/tree/tree_settings.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Checks a plan, which was checked by settings without leases, for a caller who is no operator:
// what it sets or moves is within the leases in effect at `time` of the accounts above, and the
// leases that have not ended then, begun or not, of what it moves and of all below that are within
// the limits of the new place. `before`: the tree without the plan. PERMISSION_DENIED
// (ROLE_REQUIRED) names the association, and its lease.
absl::Status CheckWithLeases(storage::Transaction& transaction, int32_t cluster_id,
                             const TreeSlice& before, const TreePlan& plan,
                             const TreeSettings& settings, const TreeRights& rights,
                             absl::Time time);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_LIMITS_H_
