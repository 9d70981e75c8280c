// The sources of a ledger's records.
#ifndef STORAGE_LEDGER_USAGE_SOURCE_STORE_H_
#define STORAGE_LEDGER_USAGE_SOURCE_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Of the record of a source that ended last; of several, the one that was appended last.
struct UsageSource {
  std::string source;
  absl::Time last_end;
  std::string last_job_id;
  absl::Time last_recorded_at;  // The time at which it was accepted.
  bool operator==(const UsageSource&) const = default;
};

class UsageSourceStore {
 public:
  explicit UsageSourceStore(Transaction& transaction) : transaction_(transaction) {}

  // The first `limit` sources of the cluster's records whose names come after `after`, in the order
  // of their names by the database's collation; of `only`, unless it is empty. Records that are
  // replaced count, rolled-up ones do not. Costs a few index look-ups per source, not per record.
  absl::StatusOr<std::vector<UsageSource>> List(int32_t cluster_id, const std::string& after,
                                                const std::vector<std::string>& only,
                                                int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_USAGE_SOURCE_STORE_H_
