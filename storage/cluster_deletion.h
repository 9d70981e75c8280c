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

// How much a cluster has.
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

// In this order, each step in a transaction of its own: Begin, DeleteSome until it answers 0,
// Finish. After Begin nobody finds the cluster; what is left of it then, whoever it was that
// stopped, is found by what it was called.
class ClusterDeletion {
 public:
  explicit ClusterDeletion(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<ClusterContents> Contents(int32_t cluster_id);

  // Takes its name away, and wakes the replicas. REQUIRES: the cluster is locked by
  // ClusterStore::Lock in this transaction.
  absl::Status Begin(int32_t cluster_id);

  // Those called `name` before Begin.
  absl::StatusOr<std::vector<int32_t>> FindBegun(const std::string& name);
  // All of which Begin was done and Finish was not.
  absl::StatusOr<std::vector<BegunDeletion>> ListBegun();

  // Deletes at most `most` rows; answers how many. Holds no lock that anybody of another cluster
  // waits for; of two who delete the same one waits for the other.
  absl::StatusOr<int64_t> DeleteSome(int32_t cluster_id, int64_t most);

  // Deletes the cluster's own row, and what came beside DeleteSome.
  absl::Status Finish(int32_t cluster_id);

  // All that have rows of clusters, those that refer to others first.
  static const std::vector<std::string>& Tables();

 private:
  absl::StatusOr<int64_t> DeleteFrom(const std::string& table, int32_t cluster_id, int64_t most);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CLUSTER_DELETION_H_
