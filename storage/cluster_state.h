// Everything a recalculation of one cluster starts from.
#ifndef STORAGE_CLUSTER_STATE_H_
#define STORAGE_CLUSTER_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/association_store.h"
#include "storage/cluster_store.h"
#include "storage/cluster_user_store.h"
#include "storage/partition_store.h"
#include "storage/policy_store.h"
#include "storage/qos_store.h"
#include "storage/snapshot_store.h"
#include "storage/transaction.h"
#include "storage/usage_reset_store.h"
#include "storage/usage_store.h"

namespace priorityd::storage {

// Lists are ordered as their stores say.
struct ClusterState {
  Cluster cluster;
  std::map<std::string, int32_t> tres;
  std::vector<Association> associations;
  std::vector<Association> deleted_associations;
  std::vector<ClusterUser> users;
  int64_t user_count = 0;  // Also where `users` was emptied.
  std::vector<Qos> qos;
  std::vector<Qos> deleted_qos;
  std::vector<Partition> partitions;
  std::vector<Partition> deleted_partitions;
  std::optional<PolicyVersion> policy;
  std::vector<HalfLife> half_lives;
  std::vector<UsageReset> usage_resets;  // the last of each association
  // Also of deleted associations and QOS.
  std::vector<UsageRow> association_usage;
  std::vector<UsageRow> qos_usage;
  std::vector<OpeningUsage> opening_usage;
  std::optional<SnapshotRecord> snapshot;
  // Counts the changes of cluster, associations, users, QOS, partitions, policy,
  // half-lives, resets.
  int64_t revision = 0;
  // For UsageStore::List next time.
  int64_t usage_watermark = 0;
};

// What of a configuration may have changed since it was read, where not all of it was read again.
struct ConfigurationChanges {
  // Those that were written, and maybe others; the rest is as it was.
  std::vector<Association> associations;
  std::vector<Association> deleted_associations;
  int64_t association_count = 0;  // Of the living ones there are now.
  bool users_changed = false;
};

// NOT_FOUND if there is no such cluster. REQUIRES: in Database::Read, so that
// all is of one moment.
absl::StatusOr<ClusterState> ReadClusterState(Transaction& transaction,
                                              const std::string& cluster_name);

// Brings `state`, which ReadClusterState filled, up to date. Reads the
// configuration only if its revision is another one, and of usage only what
// changed. On an error `state` is half old, half new. REQUIRES: as above.
absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state);

// The same of one whose associations and users are not kept (who made a tree of them frees them).
// If the revision is another one they stay empty, but for users where some changed; then `changes`,
// else nothing, is set, and what they delete is in state->deleted_associations.
absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state,
                                std::optional<ConfigurationChanges>* changes);

// The same without usage: the four usage fields stay empty. REQUIRES: as above,
// or the cluster is locked (ClusterStore::LockShared is enough).
absl::StatusOr<ClusterState> ReadClusterConfiguration(Transaction& transaction,
                                                      const std::string& cluster_name);

// What the newest snapshot was computed from: cluster, associations, users, QOS,
// partitions, policy, half-lives and revision as they were then, and tres and
// snapshot; the rest stays empty. NOT_FOUND if the cluster has no snapshot, or
// one whose numbers are not kept. REQUIRES: as above.
absl::StatusOr<ClusterState> ReadPublishedConfiguration(Transaction& transaction,
                                                        const std::string& cluster_name);

}  // namespace priorityd::storage

#endif  // STORAGE_CLUSTER_STATE_H_
