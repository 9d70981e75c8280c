// Users of a cluster: what holds for a user over all its associations.
#ifndef STORAGE_CLUSTER_USER_STORE_H_
#define STORAGE_CLUSTER_USER_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/published.h"
#include "storage/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct ClusterUser {
  int32_t cluster_id = 0;
  std::string name;
  std::string default_account;  // "" = none
  std::string admin_level;      // "" = none; else Slurm's word
  bool operator==(const ClusterUser&) const = default;
};

// How it is stored.
const ColumnTable<ClusterUser>& ClusterUserColumns();

class ClusterUserStore {
 public:
  explicit ClusterUserStore(Transaction& transaction) : transaction_(transaction) {}

  // In bytewise order of names.
  absl::StatusOr<std::vector<ClusterUser>> List(int32_t cluster_id,
                                                Edition edition = Edition::kCurrent);

  // Inserts or overwrites by (cluster_id, name), which must differ among
  // `users`.
  absl::Status Upsert(absl::Span<const ClusterUser> users);

  // Removes those of `names` that are there.
  absl::Status Delete(int32_t cluster_id, const std::vector<std::string>& names);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CLUSTER_USER_STORE_H_
