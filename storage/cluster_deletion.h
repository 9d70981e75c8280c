// Deletes a cluster from every table.
#ifndef STORAGE_CLUSTER_DELETION_H_
#define STORAGE_CLUSTER_DELETION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/transaction.h"

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
  std::string name;  // That it had.
};

// Call in this order, each in a transaction of its own: Begin, DeleteSome until it returns 0,
// Finish. After Begin the cluster cannot be found by name; an interrupted deletion is found by the
// name that the cluster had.
class ClusterDeletion {
 public:
  explicit ClusterDeletion(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<ClusterContents> Contents(int32_t cluster_id);

  // Removes the name of the cluster and notifies the replicas. REQUIRES: the cluster is locked by
  // ClusterStore::Lock in this transaction.
  absl::Status Begin(int32_t cluster_id);

  // The clusters that were called `name` before Begin.
  absl::StatusOr<std::vector<int32_t>> FindBegun(const std::string& name);
  // All clusters between Begin and Finish.
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

#endif  // STORAGE_CLUSTER_DELETION_H_
