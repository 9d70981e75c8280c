// Times that were written while the database's clock was ahead.
#ifndef STORAGE_SCHEMA_FUTURE_STORE_H_
#define STORAGE_SCHEMA_FUTURE_STORE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The number of rows of a cluster with a time in the future.
struct FutureRows {
  int64_t snapshots = 0;   // Set to the present time.
  int64_t samples = 0;     // Of the history of factors; deleted.
  int64_t half_lives = 0;  // Of the timeline; deleted, the next recalculation adds them again.
  int64_t resets = 0;      // Of usage, of associations and QOS; set to the present time.
};

class FutureStore {
 public:
  explicit FutureStore(Transaction& transaction) : transaction_(transaction) {}

  // Corrects times in the future. `last_usage`: the latest as_of of a usage row; half-lives of the
  // timeline before it are kept. REQUIRES: the cluster is locked.
  absl::StatusOr<FutureRows> Forget(int32_t cluster_id, absl::Time now, absl::Time last_usage);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_FUTURE_STORE_H_
