// The merges of one cluster: found, checked and added; for merge_change.h and domain_merges.h.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_ROWS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

using Merges = std::vector<storage::UserMerge>;

// Its name in the audit.
std::string MergeObject(const std::string& from_user);
// `domain`: that of a member, whose merge it is; empty = the cluster's.
Attributes AttributesOfMerge(const storage::UserMerge& merge, const std::string& domain);

absl::Status RefuseMerge(absl::string_view reason, const std::string& message);

// nullptr if it is not among them.
const storage::UserMerge* FindMerge(const Merges& merges, const std::string& from_user);

// The accounts of the first fault's merge, each once.
std::string AccountsOfFault(const std::vector<storage::MergeFault>& faults);

// Warns of leases and grants that are without effect meanwhile.
absl::Status WarnOfMerge(storage::Transaction& transaction, int32_t cluster_id,
                         const storage::UserMerge& merge, absl::Time time, ChangeList* list);

// Adds the merges to the cluster, which is locked. `domain`: that of a member, which takes them
// over: those of a user without an association there are added too, and its own merges of the same
// users stay. Errors of MergeUsers; one that is there already for other users: ALREADY_MERGED.
absl::Status AddMerges(storage::Transaction& transaction, int32_t cluster_id, const Merges& merges,
                       const std::string& domain, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_MERGE_ROWS_H_
