// Rights to move amounts between grants, and to limit accounts by grants.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_RIGHTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_RIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/tree_rights.h"
#include "server/administration/tree/tree_slice.h"
#include "server/grants/grant_book.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {

// Whether the caller may move amounts from one grant to the other. An operator may always. A
// coordinator may if
// - the owners of both, accounts or users, are below the coordinated accounts,
// - neither owner has usage that the other one's grant is charged too, and each other grant of the
//   TRES that has not ended at `now`, to which usage of the owner of `from` is charged, is charged
//   with all usage of the owner of `to` too, so that the sum of what may be used at each level of
//   the tree does not grow,
// - they differ in nothing but Accounts, User, Amount and Begin, so that no amount gets another
//   end or another consequence,
// - coordinators made both or neither: what a coordinator gives is no amount that an operator gave,
// - if they did, LimitRight lets the caller change both, and all others of their owners and TRES.
// Null = no such grant. PERMISSION_DENIED (ROLE_REQUIRED): until the first of these conditions
// holds, in the same words whether or not the grants exist. REQUIRES: the cluster is locked.
absl::Status CheckTransferRight(storage::Transaction& transaction, int32_t cluster_id,
                                const TreeRights& rights, const grants::GrantBook& book,
                                absl::Time now, const grants::StoredGrant* from,
                                const grants::StoredGrant* to);

// The living grants of coordinators of a cluster, and with revoked ones: of one coordinator, and of
// all, so that operators always can create some.
inline constexpr size_t kMaxGrantsOfCoordinator = 1'000;
inline constexpr size_t kMaxGrantsOfCoordinatorEver = 5'000;
inline constexpr size_t kMaxGrantsForCoordinators = 5'000;
inline constexpr size_t kMaxGrantsForCoordinatorsEver = 25'000;
// So that a few coordinators do not use up what all have: one that has at most so many grants may
// make them until all coordinators have more than the second bounds.
inline constexpr size_t kGrantsOfEachCoordinator = 20;
inline constexpr size_t kGrantsOfEachCoordinatorEver = 100;
inline constexpr size_t kMaxGrantsForEachCoordinator = 7'500;
inline constexpr size_t kMaxGrantsForEachCoordinatorEver = 40'000;

// A coordinator's change of one grant. Each grant of the kind only limits: every grant on the path
// of an association counts by itself, and no grant of its owner and TRES is in force that an
// operator made, or a coordinator of accounts that are above the caller's. Whose it is, its name
// says: `ACCOUNT/...`, where ACCOUNT is at or below the coordinated accounts.
class LimitRight {
 public:
  // REQUIRES: the cluster is locked; `rights` are no operator's. `book` must outlive it.
  LimitRight(const TreeRights& rights, const grants::GrantBook& book, absl::Time now)
      : rights_(rights), book_(book), now_(now) {}

  // Whether the name is one that the caller may use, and the present grant and `settings` concern
  // accounts at or below the coordinated ones only; the present one may also have deleted ones.
  // PERMISSION_DENIED (ROLE_REQUIRED), in the same words whether or not the grant and the accounts
  // exist. Reads the accounts and all above them.
  absl::Status CheckMeant(storage::Transaction& transaction, int32_t cluster_id,
                          const std::string& name, const std::vector<Setting>& settings);
  // The same of a grant that the caller ends. Those that the caller, one of `own`, made may also
  // have the name of an account that was deleted.
  absl::Status CheckMeantToEnd(storage::Transaction& transaction, int32_t cluster_id,
                               const std::string& name, const storage::LeaseAuthors& own);
  // Whether the grant may become `row` with this amount: its owner is below the coordinated
  // accounts; it begins now or later; a grant of the TRES of accounts above, at or below the
  // coordinated ones, has as much in a window, and begins no later and ends no earlier; and no
  // grant that the caller may not change has the same owner and TRES at that time.
  // PERMISSION_DENIED (ROLE_REQUIRED) names the setting. REQUIRES: CheckMeant was OK.
  absl::Status CheckWanted(const storage::Grant& before, const storage::Grant& row,
                           grants::Amount amount) const;
  // Whether the caller may end it: as far as its accounts exist, its owner is below the coordinated
  // ones. REQUIRES: CheckMeantToEnd was OK.
  absl::Status CheckRevoked(const storage::Grant& row) const;

 private:
  absl::Status Denied() const;
  // All of CheckMeant but the name.
  absl::Status ReadAccounts(storage::Transaction& transaction, int32_t cluster_id,
                            const std::string& name, const std::vector<Setting>& settings);

  const TreeRights& rights_;
  const grants::GrantBook& book_;
  const absl::Time now_;
  TreeSlice tree_;
};

// FAILED_PRECONDITION (OLD_REPLICA) while a replica runs that takes grants of coordinators for
// those of operators.
absl::Status CheckLimitsKnown(storage::Transaction& transaction, absl::string_view field);

// RESOURCE_EXHAUSTED (TOO_MANY_GRANTS) if the book has more grants of coordinators than the bounds
// above; those of `share` and those without a version yet are the caller's.
absl::Status CheckLimitBounds(const grants::GrantBook& book, const storage::LeaseAuthors& share);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_RIGHTS_H_
