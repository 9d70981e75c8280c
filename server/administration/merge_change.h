// Changes of users that count as others.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_MERGE_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_MERGE_CHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/administration/change_list.h"
#include "storage/cluster_store.h"
#include "storage/domain_store.h"
#include "storage/transaction.h"
#include "storage/user_merge_store.h"

namespace priorityd::administration {

// The merged users of a cluster.
inline constexpr int64_t kMaxMerges = 1000;

// A replica that does not know `migration` (1 = that of merges) could not follow the leader, or
// would lead without what it added: FAILED_PRECONDITION (OLD_REPLICA), `WHAT beside the replica
// ...`. One that ended without a word counts until it has not reported for a minute.
absl::Status CheckReplicas(storage::Transaction& transaction, absl::string_view what,
                           int32_t migration = 1);

// Lets merge.from_user count as merge.into_user; the same merge again counts as unchanged. Warns of
// leases and grants that are without effect meanwhile, and if the cluster's usage domain lacks it.
// NOT_FOUND (UNKNOWN_USER) for a user without an association. FAILED_PRECONDITION: ALREADY_MERGED,
// MERGE_CHAIN, USER_IS_ALIAS, TOO_MANY_MERGES, OLD_REPLICA, MERGE_LACKS_ASSOCIATION. REQUIRES: the
// cluster is locked by ClusterStore::Lock; the users differ. `time`: by the cluster's clock.
absl::Status MergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const storage::UserMerge& merge, absl::Time time, ChangeList* list);

// Warns of the merges of a member that its usage domain lacks: there the usage of each user still
// counts for that user alone.
absl::Status WarnOfMergesOnlyInMember(storage::Transaction& transaction,
                                      const storage::DomainMember& member, ChangeList* list);

// The same without the warnings, for a merge that another cluster had.
absl::Status CopyMerge(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const storage::UserMerge& merge, ChangeList* list);

// NOT_FOUND (UNKNOWN_MERGE). REQUIRES: the cluster is locked.
absl::Status UnmergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::string& from_user, ChangeList* list);

// Warns of merged users whose associations are among `meant`: what is set there waits for the undo.
absl::Status WarnOfMergedUsers(storage::Transaction& transaction, int32_t cluster_id,
                               const std::vector<ObjectKey>& meant, ChangeList* list);

// Checks what a change made of the associations of merged users. FAILED_PRECONDITION:
// MERGE_LACKS_ASSOCIATION, the surviving user lacks one that takes usage; USER_IS_MERGED, one of a
// merged user was deleted, which would give its usage to the account. `now`: the deletion time of
// the change.
absl::Status CheckMerges(storage::Transaction& transaction, int32_t cluster_id, absl::Time now);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_MERGE_CHANGE_H_
