// Which recalculations were published.
#ifndef STORAGE_SNAPSHOT_STORE_H_
#define STORAGE_SNAPSHOT_STORE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/transaction.h"

namespace priorityd::storage {

struct SnapshotRecord {
  int32_t cluster_id = 0;
  int64_t generation = 0;  // 1, 2, ... in each cluster
  absl::Time computed_at;
  int64_t policy_version = 0;  // 0 = every parameter at its default
  bool operator==(const SnapshotRecord&) const = default;
};

class SnapshotStore {
 public:
  explicit SnapshotStore(Transaction& transaction) : transaction_(transaction) {}

  // nullopt before the first.
  absl::StatusOr<std::optional<SnapshotRecord>> Newest(int32_t cluster_id);

  // Returns the generation it got: the newest one's plus 1.
  // snapshot.generation is ignored. Two at once collide: ALREADY_EXISTS.
  absl::StatusOr<int64_t> Append(const SnapshotRecord& snapshot);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOT_STORE_H_
