// Deletes a cluster from every table.
#ifndef STORAGE_CONFIGURATION_CLUSTER_DELETION_H_
#define STORAGE_CONFIGURATION_CLUSTER_DELETION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The contents of a cluster.
struct ClusterContents {
  int64_t associations = 0;  // Living ones.
  int64_t jobs = 0;
  int64_t records = 0;
  bool operator==(const ClusterContents&) const = default;
};

struct BegunDeletion {
  int32_t cluster_id = 0;
  std::string name;  // The name that it had.
};

// A deleted cluster whose rows are whole.
struct DeletedCluster {
  Cluster cluster;  // With the name that it had.
  absl::Time restorable_until;
};

// Call in this order, each in a transaction of its own: Hide, then Restore, or else Begin,
// DeleteSome until it returns 0, Finish. After Hide the cluster cannot be found by name; a hidden
// cluster and an interrupted deletion are found by the name that the cluster had.
class ClusterDeletion {
 public:
  explicit ClusterDeletion(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<ClusterContents> Contents(int32_t cluster_id);

  // Removes the name of the cluster and notifies the replicas; returns the time until which Restore
  // restores it, `grace` from now by the database's clock. Forgets its move. REQUIRES: the cluster
  // is frozen, or locked by ClusterStore::Lock in this transaction.
  absl::StatusOr<absl::Time> Hide(int32_t cluster_id, absl::Duration grace);

  // Gives a hidden cluster its name again and notifies the replicas. False if Begin was called or
  // the time is over. ALREADY_EXISTS if another cluster has the name now.
  absl::StatusOr<bool> Restore(int32_t cluster_id);

  // Ends the time of Restore; Hide was called before. False if it had ended.
  absl::StatusOr<bool> Begin(int32_t cluster_id);

  // The clusters that are hidden and can be restored, by name; of the same name, the last deleted
  // first.
  absl::StatusOr<std::vector<DeletedCluster>> ListRestorable();
  // The clusters that were called `name` before Hide; here and in ListBegun without those that move
  // to or from another database.
  absl::StatusOr<std::vector<int32_t>> FindHidden(const std::string& name);
  // All clusters between Hide and Finish that cannot be restored.
  absl::StatusOr<std::vector<BegunDeletion>> ListBegun();

  // Deletes at most `most` rows and returns their number. Holds no lock for which transactions of
  // other clusters wait; two deletions of the same cluster wait for each other.
  absl::StatusOr<int64_t> DeleteSome(int32_t cluster_id, int64_t most);

  // Deletes the row of the cluster, and rows that were added during DeleteSome.
  absl::Status Finish(int32_t cluster_id);

  // All tables with rows of clusters; tables that refer to others come first.
  static const std::vector<std::string>& Tables();

 private:
  absl::StatusOr<int64_t> DeleteFrom(const std::string& table, int32_t cluster_id, int64_t most);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_DELETION_H_
