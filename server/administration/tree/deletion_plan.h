// Plans the deletion of associations, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_DELETION_PLAN_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_DELETION_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_rights.h"

namespace priorityd::administration {

// Deletes the associations `ids` and all below them, except root. `state` contains everything below
// them, all associations of the affected users, these users with the accounts that they coordinate,
// and the coordinators of the accounts.
// FAILED_PRECONDITION (DEFAULT_ACCOUNT) names users who would lose their default account while they
// have other accounts.
absl::StatusOr<TreePlan> PlanDeletion(TreeState state, const std::vector<int64_t>& ids,
                                      const TreeRights& rights, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_DELETION_PLAN_H_
