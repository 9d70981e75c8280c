// Manual resets of usage: events of the ledger.
#ifndef STORAGE_LEDGER_USAGE_RESET_STORE_H_
#define STORAGE_LEDGER_USAGE_RESET_STORE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// A reset of an association: its usage before reset_at counts nothing.
struct UsageReset {
  int64_t association_id = 0;
  absl::Time reset_at;
  bool operator==(const UsageReset&) const = default;
};

class UsageResetStore {
 public:
  explicit UsageResetStore(Transaction& transaction) : transaction_(transaction) {}

  // The last reset of every association that has one, deleted ones too, by id.
  absl::StatusOr<std::vector<UsageReset>> List(int32_t cluster_id);

  // One event for each association. The same again changes nothing.
  // FAILED_PRECONDITION for an id that is not of this cluster.
  absl::Status Append(int32_t cluster_id, const std::vector<int64_t>& association_ids,
                      absl::Time reset_at);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_USAGE_RESET_STORE_H_
