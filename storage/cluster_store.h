// Clusters.
#ifndef STORAGE_CLUSTER_STORE_H_
#define STORAGE_CLUSTER_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/amount.h"
#include "storage/published.h"
#include "storage/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct Cluster {
  int32_t id = 0;
  std::string name;
  // Set by UpdateCluster or counted from the policy's node lines; nullopt =
  // neither happened yet.
  std::optional<int64_t> nodes;
  std::optional<double> cpus;
  std::vector<NamedAmount> tres;  // totals; mem and bb in MB
  absl::Time created_at;
  // Records that end before it are rolled up or will be: see RetentionStore.
  absl::Time ledger_horizon = absl::InfinitePast();
  bool operator==(const Cluster&) const = default;
};

// How it is stored.
const ColumnTable<Cluster>& ClusterColumns();

class ClusterStore {
 public:
  explicit ClusterStore(Transaction& transaction) : transaction_(transaction) {}

  // In the order of creation.
  absl::StatusOr<std::vector<Cluster>> List();
  absl::StatusOr<std::optional<Cluster>> Find(const std::string& name,
                                              Edition edition = Edition::kCurrent);
  // NOT_FOUND if there is none of that name.
  absl::StatusOr<Cluster> Require(const std::string& name);

  // The cluster of that name, created (without nodes, cpus and tres) if there
  // is none. Safe when two do it at once.
  absl::StatusOr<Cluster> FindOrCreate(const std::string& name);

  // Writes nodes, cpus and tres. NOT_FOUND if there is no such id.
  absl::Status Update(const Cluster& cluster);

  // Waits for, and then keeps out until the end of the transaction, every
  // other caller of Lock and LockShared for this cluster: imports and policies
  // are applied one at a time. Callers are served in their order. NOT_FOUND if
  // there is no such id.
  absl::Status Lock(int32_t cluster_id);

  // The same against callers of Lock only: what they change stays as it is
  // until the end of the transaction, which has begun in the eyes of others (LedgerTail).
  absl::Status LockShared(int32_t cluster_id);

 private:
  absl::Status Lock(const char* statement, int32_t cluster_id);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CLUSTER_STORE_H_
