// What goes from a tree: no I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_DELETION_PLAN_H_
#define PRIORITYD_SERVER_ADMINISTRATION_DELETION_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/association_plan.h"
#include "server/administration/change_list.h"
#include "server/administration/tree_rights.h"

namespace priorityd::administration {

// Of the associations `ids` and all below them, without root. `state` has all below them, all
// associations of the users who lose some, these users, and those who coordinate the accounts.
// FAILED_PRECONDITION (DEFAULT_ACCOUNT) names users of whom a default account would go while they
// have other accounts.
absl::StatusOr<TreePlan> PlanDeletion(TreeState state, const std::vector<int64_t>& ids,
                                      const TreeRights& rights, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_DELETION_PLAN_H_
