// The inputs of a recalculation of one cluster.
#ifndef STORAGE_SNAPSHOTS_CLUSTER_STATE_H_
#define STORAGE_SNAPSHOTS_CLUSTER_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/configuration/reservation_store.h"
#include "storage/database/transaction.h"
#include "storage/ledger/usage_reset_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/snapshot_store.h"

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
  std::vector<Reservation> reservations;
  std::optional<PolicyVersion> policy;
  std::vector<HalfLife> half_lives;
  std::vector<UsageReset> usage_resets;  // the last of each association
  // Also of deleted associations and QOS.
  std::vector<UsageRow> association_usage;
  std::vector<UsageRow> qos_usage;
  std::vector<OpeningUsage> opening_usage;
  std::optional<SnapshotRecord> snapshot;
  // The number of changes of cluster, associations, users, QOS, partitions, reservations, policy,
  // half-lives and resets.
  int64_t revision = 0;
  // The watermark for the next UsageStore::List.
  int64_t usage_watermark = 0;
};

// The parts of a configuration that may have changed since it was read, if not all of it was read
// again.
struct ConfigurationChanges {
  // The rows that were written, and possibly others; all other rows are unchanged.
  std::vector<Association> associations;
  std::vector<Association> deleted_associations;
  int64_t association_count = 0;  // Of the living ones there are now.
  bool users_changed = false;
};

// NOT_FOUND if the cluster does not exist. REQUIRES: in Database::Read, so that all data are of the
// same time.
absl::StatusOr<ClusterState> ReadClusterState(Transaction& transaction,
                                              const std::string& cluster_name);

// Updates `state`, which was filled by ReadClusterState. Reads the configuration only if its
// revision has changed, and only changed usage. After an error `state` is inconsistent. REQUIRES:
// as above.
absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state);

// The same for a state whose associations and users were freed after a tree was built from them. If
// the revision has changed, they stay empty, except users if some changed; then `changes` is set,
// otherwise it is reset, and deleted associations are in state->deleted_associations.
absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state,
                                std::optional<ConfigurationChanges>* changes);

// The same without usage: the four usage fields stay empty. REQUIRES: as above, or the cluster is
// locked (at least ClusterStore::LockShared).
absl::StatusOr<ClusterState> ReadClusterConfiguration(Transaction& transaction,
                                                      const std::string& cluster_name);

// The inputs of the newest snapshot: cluster, associations, users, QOS, partitions, policy,
// half-lives and revision at that time, and tres and snapshot; other fields stay empty. NOT_FOUND
// if the cluster has no snapshot, or one without stored numbers. REQUIRES: as above.
absl::StatusOr<ClusterState> ReadPublishedConfiguration(Transaction& transaction,
                                                        const std::string& cluster_name);

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_CLUSTER_STATE_H_
