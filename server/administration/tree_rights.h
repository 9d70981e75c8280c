// Who may change what of the association tree and of users.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_RIGHTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_RIGHTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/administration/tree_settings.h"
#include "server/administration/tree_slice.h"
#include "storage/association_store.h"
#include "storage/cluster_user_store.h"

namespace priorityd::administration {

// Errors are PERMISSION_DENIED (ROLE_REQUIRED) that say what is meant and who asks.
//
// Operators change everything, except that only administrators make administrators and change
// their level. A coordinator changes what stands below the accounts that she coordinates: users'
// associations and sub-accounts, with no limit or QOS beyond what holds above them, and without
// Priority and RawUsage. A user sets her own default account.
struct TreeRights {
  bool is_operator = false;  // Administrators too.
  bool is_administrator = false;
  std::string user;                   // Empty = nobody's in the association data.
  std::set<std::string> coordinated;  // Accounts, with all below them.
  std::string caller;                 // For messages.

  // `row` is as it is, or as it is to be; `tree` has it or its parent.
  absl::Status CheckRow(const TreeSlice& tree, const storage::Association& row) const;
  // For who may not know whether there is what she means.
  absl::Status DeniedUnseen() const;
  // Whether something may be put below this account; `parent` is null where there is none of that
  // name, which is told to operators only.
  absl::Status CheckParent(const TreeSlice& tree, const storage::Association* parent,
                           const std::string& name) const;
  // The words of an association that becomes `after`. REQUIRES: CheckRow.
  absl::Status CheckWords(const TreeSlice& tree, const TreeSettings& settings,
                          const storage::Association& after) const;
  // What becomes of a user who is `before`; `tree` has the accounts that she coordinates before or
  // after. `is_new`: she has no association yet.
  absl::Status CheckUser(const TreeSlice& tree, const storage::ClusterUser& before,
                         const storage::ClusterUser& after, bool is_new) const;
  // Whether users of these names may be meant at all: who is nobody's coordinator does not learn
  // who is there.
  absl::Status CheckUsersMeant(const std::vector<std::string>& names) const;
  absl::Status CheckDeletedUser(const storage::ClusterUser& user) const;

 private:
  absl::Status Denied(absl::string_view what, absl::string_view want) const;
  absl::Status CheckLimit(const TreeSlice& tree, const WordSetting& setting,
                          const storage::Association& after) const;
  absl::Status CheckCoordinators(const TreeSlice& tree, const storage::ClusterUser& before,
                                 const storage::ClusterUser& after) const;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_RIGHTS_H_
