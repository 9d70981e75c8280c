// Converts stored rows to the engine's terms.
#ifndef PRIORITYD_SERVER_CONFIGURATION_STORED_ROWS_H_
#define PRIORITYD_SERVER_CONFIGURATION_STORED_ROWS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/reservation.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/default_accounts.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/configuration/reservation_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/amount.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::configuration {

priority::TresMap ToEngine(const std::vector<storage::NamedAmount>& amounts);
priority::Association ToEngine(const storage::Association& row);
priority::Cluster ToEngine(const storage::Cluster& row);
priority::Qos ToEngine(const storage::Qos& row);
priority::Partition ToEngine(const storage::Partition& row);
priority::Reservation ToEngine(const storage::Reservation& row);

// The tree of existing associations, shared with a tree of the same rows that is still held.
// INTERNAL for invalid rows.
absl::StatusOr<std::shared_ptr<const priority::AssociationTree>> BuildTree(
    const std::vector<storage::Association>& rows);

// The tree of `before` with the rows of `changes` replaced; shared in the same way. Null if the
// number of associations does not match. INTERNAL for invalid rows.
absl::StatusOr<std::shared_ptr<const priority::AssociationTree>> RebuildTree(
    std::shared_ptr<const priority::AssociationTree> before,
    const storage::ConfigurationChanges& changes);

// The tree with merged users; shared in the same way.
std::shared_ptr<const priority::AssociationTree> MergeUsers(const priority::AssociationTree& tree,
                                                            priority::UserMerges merges);
priority::UserMerges ToEngine(const std::vector<storage::UserMerge>& rows);

// Shared in the same way.
std::shared_ptr<const priority::DefaultAccounts> DefaultAccountsOf(
    const std::vector<storage::ClusterUser>& users);

// `base` with the default accounts of `users`; shared in the same way.
std::shared_ptr<const priority::DefaultAccounts> WithDefaultAccounts(
    const priority::DefaultAccounts& base, const std::vector<storage::ClusterUser>& users);

// Whether a QOS has this flag (case-insensitive).
bool HasFlag(const storage::Qos& qos, absl::string_view flag);

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_STORED_ROWS_H_
