// Changes of grants.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHANGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/tree_rights.h"
#include "server/grants/grant_book.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Of a cluster, those that are not revoked; and all, which are kept for their statements.
inline constexpr size_t kMaxGrants = 10'000;
inline constexpr size_t kMaxGrantsEver = 50'000;

// The author and the time of a change of grants.
struct GrantAuthor {
  absl::Time now;          // By the cluster's clock.
  absl::TimeZone zone;     // Of the policy.
  bool qos_counts = true;  // Whether the policy has PriorityWeightQOS.
  std::string principal;
  std::string comment;
  TreeRights rights = {};
  storage::LeaseAuthors share = {};  // The own grants, if the author is no operator.
};

// The settings of a grant, name to value; the Amount is that of the last version.
Attributes AttributesOf(const grants::StoredGrant& stored);

// FAILED_PRECONDITION (TOO_MANY_GRANTS): more than kMaxGrants or kMaxGrantsEver.
absl::Status CheckGrantBounds(const grants::GrantBook& book);

// The functions below: REQUIRES: the cluster is locked by ClusterStore::Lock.

// Applies `settings` to each of the grants, which are created if `create`. An Amount is a new
// version. INVALID_ARGUMENT with the fields `names[0]`, `settings[0].name`, `.operator` and
// `.value`. NOT_FOUND (UNKNOWN_GRANT). FAILED_PRECONDITION (GRANT_REVOKED, GRANT_NOT_IN_FORCE,
// TOO_MANY_GRANTS). Warns of consequences without effect. A coordinator may as LimitRight says:
// PERMISSION_DENIED (ROLE_REQUIRED), RESOURCE_EXHAUSTED (TOO_MANY_GRANTS), and CheckLimitsKnown.
// Grants of coordinators that are in force beside an operator's of the same owner and TRES end at
// their begin, with a warning.
absl::Status UpdateGrants(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::vector<std::string>& names,
                          const std::vector<Setting>& settings, bool create,
                          const GrantAuthor& author, ChangeList* list);

// Ends the grants at author.now. NOT_FOUND (UNKNOWN_GRANT). FAILED_PRECONDITION (GRANT_REVOKED). A
// coordinator may those that coordinators made: PERMISSION_DENIED (ROLE_REQUIRED).
absl::Status RevokeGrants(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::vector<std::string>& names, const GrantAuthor& author,
                          ChangeList* list);

// Moves an amount between the present windows of two grants. NOT_FOUND (UNKNOWN_GRANT).
// PERMISSION_DENIED (ROLE_REQUIRED): those of CheckTransferRight.
// FAILED_PRECONDITION (GRANT_REVOKED, GRANT_NOT_IN_FORCE, GRANT_TOO_SMALL; for coordinators also
// GRANT_NOT_SETTLED). INVALID_ARGUMENT: of another TRES, or the same grant.
absl::Status TransferGrant(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const std::string& from, const std::string& to, grants::Amount amount,
                           const GrantAuthor& author, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANTS_GRANT_CHANGE_H_
