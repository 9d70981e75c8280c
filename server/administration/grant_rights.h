// Rights to move amounts between grants.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANT_RIGHTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANT_RIGHTS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/tree_rights.h"
#include "server/grants/grant_book.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// Whether the caller may move amounts from one grant to the other. An operator may always. A
// coordinator may if
// - the owners of both, accounts or users, are below the coordinated accounts,
// - neither owner has usage that the other one's grant is charged too, and each other grant of the
//   TRES that has not ended at `now`, to which usage of the owner of `from` is charged, is charged
//   with all usage of the owner of `to` too, so that the sum of what may be used at each level of
//   the tree does not grow,
// - they differ in nothing but Accounts, User, Amount and Begin, so that no amount gets another
//   end or another consequence.
// Null = no such grant. PERMISSION_DENIED (ROLE_REQUIRED): until the first of these conditions
// holds, in the same words whether or not the grants exist. REQUIRES: the cluster is locked.
absl::Status CheckTransferRight(storage::Transaction& transaction, int32_t cluster_id,
                                const TreeRights& rights, const grants::GrantBook& book,
                                absl::Time now, const grants::StoredGrant* from,
                                const grants::StoredGrant* to);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANT_RIGHTS_H_
