// Clusters.
#ifndef STORAGE_CONFIGURATION_CLUSTER_STORE_H_
#define STORAGE_CONFIGURATION_CLUSTER_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/amount.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct Cluster {
  int32_t id = 0;
  std::string name;
  // Set by UpdateCluster or from the node lines of the policy; nullopt = neither yet.
  std::optional<int64_t> nodes;
  std::optional<double> cpus;
  std::vector<NamedAmount> tres;  // totals; mem and bb in MB
  absl::Time created_at;
  // Records that end before this time are or will be rolled up: see RetentionStore.
  absl::Time ledger_horizon = absl::InfinitePast();
  bool operator==(const Cluster&) const = default;
};

// The columns of the table.
const ColumnTable<Cluster>& ClusterColumns();

class ClusterStore {
 public:
  explicit ClusterStore(Transaction& transaction) : transaction_(transaction) {}

  // In the order of creation.
  absl::StatusOr<std::vector<Cluster>> List();
  absl::StatusOr<std::optional<Cluster>> Find(const std::string& name,
                                              Edition edition = Edition::kCurrent);
  // NOT_FOUND if no cluster has that name.
  absl::StatusOr<Cluster> Require(const std::string& name);

  // The cluster of that name, created (without nodes, cpus and tres) if it does not exist. Safe if
  // called concurrently.
  absl::StatusOr<Cluster> FindOrCreate(const std::string& name);

  // Writes nodes, cpus and tres. NOT_FOUND if the id does not exist.
  absl::Status Update(const Cluster& cluster);

  // Takes an exclusive lock on the cluster until the end of the transaction: excludes all other
  // callers of Lock and LockShared, so that imports and policies are applied one at a time. Callers
  // are served in order. NOT_FOUND if the id does not exist. UNAVAILABLE (IsClusterFrozen) if the
  // cluster is being moved to another database.
  absl::Status Lock(int32_t cluster_id);

  // Lock of those of the clusters that it would neither wait for nor refuse; returns their ids.
  absl::StatusOr<std::vector<int32_t>> TryLock(const std::vector<int32_t>& cluster_ids);

  // Takes a shared lock, which excludes callers of Lock only: what they change is constant until
  // the end of the transaction. The transaction is visible as begun to others (LedgerTail), and its
  // COMMIT awaits the synchronous standby, whether or not it writes. Errors of Lock.
  absl::Status LockShared(int32_t cluster_id);

 private:
  absl::Status Lock(const char* statement, int32_t cluster_id);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_STORE_H_
