// Users of a cluster: settings of a user for all its associations.
#ifndef STORAGE_CONFIGURATION_CLUSTER_USER_STORE_H_
#define STORAGE_CONFIGURATION_CLUSTER_USER_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/database/published.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct ClusterUser {
  int32_t cluster_id = 0;
  std::string name;
  std::string default_account;           // "" = none
  std::string admin_level;               // "" = none; else Slurm's word
  std::vector<std::string> coordinated;  // Accounts; those below them are not named.
  bool operator==(const ClusterUser&) const = default;
};

// A user with more rights in a cluster than ordinary users.
struct PrivilegedUser {
  std::string cluster_name;
  std::string name;
  std::string admin_level;
  std::vector<std::string> coordinated;
};

// The columns of the table.
const ColumnTable<ClusterUser>& ClusterUserColumns();

class ClusterUserStore {
 public:
  explicit ClusterUserStore(Transaction& transaction) : transaction_(transaction) {}

  // In bytewise order of names.
  absl::StatusOr<std::vector<ClusterUser>> List(int32_t cluster_id,
                                                Edition edition = Edition::kCurrent);

  // Whether their number is unchanged and none was written since a watermark; see WrittenSince.
  absl::StatusOr<bool> AreUnchanged(int32_t cluster_id, int64_t count, int64_t watermark);

  // Of all clusters, in the current and not the published edition: rights take effect at once.
  absl::StatusOr<std::vector<PrivilegedUser>> ListPrivileged();

  // Inserts or overwrites by (cluster_id, name), which must be unique among `users`.
  absl::Status Upsert(absl::Span<const ClusterUser> users);

  // Removes the existing ones of `names`.
  absl::Status Delete(int32_t cluster_id, const std::vector<std::string>& names);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_USER_STORE_H_
