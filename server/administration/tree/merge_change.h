// Changes of users that count as others.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_CHANGE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/tree/domain_merges.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/transaction.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::administration {

// The merged users of a cluster.
inline constexpr int64_t kMaxMerges = 1000;

// Any, as only programs that know merges report theirs; that of merges of domains.
inline constexpr int32_t kMigrationOfMerges = 1;
inline constexpr int32_t kMigrationOfDomainMerges = 57;

// A replica that does not know `migration` could not follow the leader, or
// would lead without what it added: FAILED_PRECONDITION (OLD_REPLICA), `WHAT beside the replica
// ...`. One that ended without a word counts until it has not reported for a minute.
absl::Status CheckReplicas(storage::Transaction& transaction, absl::string_view what,
                           int32_t migration = kMigrationOfMerges);

// The IDs of the members in which MergeUsers makes the merge, and UnmergeUsers ends it. Errors of
// FindMembers.
absl::StatusOr<std::set<int32_t>> MembersOfMerge(storage::Transaction& transaction,
                                                 const storage::Cluster& cluster,
                                                 const storage::UserMerge& merge,
                                                 const MemberCalls& calls);
absl::StatusOr<std::set<int32_t>> MembersOfUnmerge(storage::Transaction& transaction,
                                                   const storage::Cluster& cluster,
                                                   const std::string& from_user,
                                                   const MemberCalls& calls);

// Lets merge.from_user count as merge.into_user; the same merge again counts as unchanged. Warns of
// leases and grants that are without effect meanwhile, and if the cluster's usage domain lacks it.
// NOT_FOUND (UNKNOWN_USER) for a user without an association. FAILED_PRECONDITION: ALREADY_MERGED,
// MERGE_CHAIN, USER_IS_ALIAS, TOO_MANY_MERGES, OLD_REPLICA, MERGE_LACKS_ASSOCIATION. With
// merge.of_domain in each member of the cluster too: NO_MEMBERS, and errors of FindMembers and
// MergeInMember. REQUIRES: the cluster and MembersOfMerge are locked by ClusterStore::Lock; the
// users differ.
absl::Status MergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const storage::UserMerge& merge, const MemberCalls& calls,
                        ChangeList* list);

// Warns of the merges of a member that its usage domain lacks: there the usage of each user still
// counts for that user alone.
absl::Status WarnOfMergesOnlyInMember(storage::Transaction& transaction,
                                      const storage::DomainMember& member, ChangeList* list);

// As MergeUsers without warnings and members, for a merge that another cluster had.
absl::Status CopyMerge(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const storage::UserMerge& merge, ChangeList* list);

// Also in all members, if the merge is of the cluster as a domain. NOT_FOUND (UNKNOWN_MERGE).
// FAILED_PRECONDITION (MERGE_OF_DOMAIN) in a member, for a merge of its domain; errors of
// FindMembers. REQUIRES: the cluster and MembersOfUnmerge are locked.
absl::Status UnmergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::string& from_user, const MemberCalls& calls, ChangeList* list);

// Ends a merge of the cluster's own; in a member, one that its domain has too becomes the domain's.
// REQUIRES: the cluster is locked and has the merge; it is not of a domain.
absl::Status EndOwnMerge(storage::Transaction& transaction, int32_t cluster_id,
                         const storage::UserMerge& merge, ChangeList* list);

// Warns of merged users whose associations are among `meant`: settings there wait for the undo.
absl::Status WarnOfMergedUsers(storage::Transaction& transaction, int32_t cluster_id,
                               const std::vector<ObjectKey>& meant, ChangeList* list);

// Checks the associations of merged users after a change. FAILED_PRECONDITION:
// MERGE_LACKS_ASSOCIATION, the surviving user lacks one that takes usage; USER_IS_MERGED, one of a
// merged user was deleted, which would give its usage to the account. `now`: the deletion time of
// the change.
absl::Status CheckMerges(storage::Transaction& transaction, int32_t cluster_id, absl::Time now);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_CHANGE_H_
