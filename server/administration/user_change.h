// What holds for users in all of a cluster, as an operator lists and changes it.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_USER_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_USER_CHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/association_plan.h"
#include "server/administration/configuration_change.h"
#include "server/administration/setting.h"
#include "server/administration/tree_rights.h"
#include "storage/database.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// Every field that is not empty must fit; of several values one must.
struct UserFilter {
  std::vector<std::string> names;
  std::vector<std::string> accounts;  // That she has an association with.
  std::vector<std::string> default_accounts;
  std::vector<std::string> admin_levels;  // In any case; `None` too.
  std::vector<std::string> coordinated_accounts;

  bool empty() const {
    return names.empty() && accounts.empty() && default_accounts.empty() && admin_levels.empty() &&
           coordinated_accounts.empty();
  }
};

// Users in the order of their names, as far as they were read.
struct UserSlice {
  UsersByName fitting;
  std::string last;    // Who was read last, whether she fits or not.
  bool is_all = true;  // Nobody comes after her.
};

// Those that fit of the next `most` after `after`, "" = from the beginning. Where the filter has
// names, of those that it names, however many.
absl::StatusOr<UserSlice> ReadUserSlice(storage::Transaction& transaction, int32_t cluster_id,
                                        const UserFilter& where, const std::string& after,
                                        int64_t most);

// Those that fit, by name.
absl::StatusOr<UsersByName> ReadUsers(storage::Transaction& transaction, int32_t cluster_id,
                                      const UserFilter& where);

// Plans what becomes of all of state.users. `state` has the accounts that are named, with the
// users' associations there. Errors as those of the other plans.
absl::StatusOr<TreePlan> PlanUserUpdate(const TreeState& state, const TreeSettings& settings,
                                        const TreeRights& rights, ChangeList* list);

// One transaction. NOT_FOUND (UNKNOWN_USER) where nobody fits; the errors of MakeChange and of the
// plan.
absl::StatusOr<ChangeResult> UpdateUsers(storage::Database& database, const ChangeFrame& frame,
                                         const UserFilter& where,
                                         const std::vector<Setting>& settings,
                                         const TreeRights& rights);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_USER_CHANGE_H_
