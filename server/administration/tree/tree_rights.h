// Rights to change the association tree and users.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_RIGHTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_RIGHTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/dump/association_words.h"
#include "server/administration/tree/tree_settings.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"

namespace priorityd::administration {

// Errors are PERMISSION_DENIED (ROLE_REQUIRED) with the object and the caller. Operators change
// everything, except that only administrators appoint administrators and change their level. A
// coordinator changes users' associations and sub-accounts below the coordinated accounts, with no
// limit or QOS beyond those above them, and without Priority and RawUsage. A user sets the own
// default account.
struct TreeRights {
  bool is_operator = false;  // Also true for administrators.
  bool is_administrator = false;
  std::string user;                   // Empty = not in the association data.
  std::set<std::string> coordinated;  // Accounts, including all below them.
  std::string caller;                 // For messages.

  // `row`: the present or the future row; `tree` contains it or its parent.
  absl::Status CheckRow(const TreeSlice& tree, const storage::Association& row) const;
  // For callers who may not learn whether the object exists.
  absl::Status DeniedUnseen() const;
  // Whether an association may be placed below this account. `parent`: null if there is no account
  // of that name, which only operators learn.
  absl::Status CheckParent(const TreeSlice& tree, const storage::Association* parent,
                           const std::string& name) const;
  // Checks the settings of an association that becomes `after`. REQUIRES: CheckRow.
  absl::Status CheckWords(const TreeSlice& tree, const TreeSettings& settings,
                          const storage::Association& after) const;
  // Checks all limits and QOS of an association as if they were set where it now is in `tree`.
  absl::Status CheckLimits(const TreeSlice& tree, const storage::Association& row) const;
  // Whether an association may be created with the name of a `deleted` one: it takes that one's
  // usage from the nearest existing account above, which has to be one of the caller's. `tree`
  // contains all above it, deleted ones too.
  absl::Status CheckRevived(const TreeSlice& tree, const storage::Association& deleted) const;
  // Whether the caller may learn that the association `row` exists. Refused as by CheckRevived.
  absl::Status CheckExisting(const TreeSlice& tree, const storage::Association& row) const;
  // Checks a user's change from `before` to `after`; `tree` contains the accounts coordinated
  // before or after. `is_new`: the user has no association yet.
  absl::Status CheckUser(const TreeSlice& tree, const storage::ClusterUser& before,
                         const storage::ClusterUser& after, bool is_new) const;
  // Whether the caller may name these users at all: only coordinators and operators learn which
  // users exist.
  absl::Status CheckUsersMeant(const std::vector<std::string>& names) const;
  // Whether the caller may delete a user together with the user's level and roles as a coordinator,
  // as if each of these were taken away; `tree` contains the coordinated accounts.
  absl::Status CheckDeletedUser(const TreeSlice& tree, const storage::ClusterUser& deleted) const;

 private:
  absl::Status Denied(absl::string_view what, absl::string_view want) const;
  absl::Status DeniedName(const storage::Association& row) const;
  absl::Status CheckLimit(const TreeSlice& tree, const slurm::AssociationWord& word,
                          const storage::Association& after) const;
  absl::Status CheckCoordinators(const TreeSlice& tree, const storage::ClusterUser& before,
                                 const storage::ClusterUser& after) const;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_RIGHTS_H_
