// Cluster-wide attributes of users: lists and changes them.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_USER_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_USER_CHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_rights.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Every non-empty field must match; of several values, one must.
struct UserFilter {
  std::vector<std::string> names;
  std::vector<std::string> accounts;  // Accounts with an association of the user.
  std::vector<std::string> default_accounts;
  std::vector<std::string> admin_levels;  // In any case, including `None`.
  std::vector<std::string> coordinated_accounts;

  bool empty() const {
    return names.empty() && accounts.empty() && default_accounts.empty() && admin_levels.empty() &&
           coordinated_accounts.empty();
  }
};

// One page of users in order of names.
struct UserSlice {
  UsersByName fitting;
  std::string last;    // The last user read, matching or not.
  bool is_all = true;  // No users follow.
};

// The matching users among the next `most` after `after`, "" = from the start. If the filter has
// names, all of these are read.
absl::StatusOr<UserSlice> ReadUserSlice(storage::Transaction& transaction, int32_t cluster_id,
                                        const UserFilter& where, const std::string& after,
                                        int64_t most);

// All matching users, by name.
absl::StatusOr<UsersByName> ReadUsers(storage::Transaction& transaction, int32_t cluster_id,
                                      const UserFilter& where);

// Plans the update of all state.users. `state` contains the named accounts with the users'
// associations there. Errors as the other plans.
absl::StatusOr<TreePlan> PlanUserUpdate(const TreeState& state, const TreeSettings& settings,
                                        const TreeRights& rights, ChangeList* list);

// Runs in one transaction. NOT_FOUND (UNKNOWN_USER) if no user matches; errors of MakeChange and of
// the plan.
absl::StatusOr<ChangeResult> UpdateUsers(storage::Database& database, const ChangeFrame& frame,
                                         const UserFilter& where,
                                         const std::vector<Setting>& settings,
                                         const TreeRights& rights);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_USER_CHANGE_H_
