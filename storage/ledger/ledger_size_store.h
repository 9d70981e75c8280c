// The size and the age of the ledger, at the cost of an index look-up.
#ifndef STORAGE_LEDGER_LEDGER_SIZE_STORE_H_
#define STORAGE_LEDGER_LEDGER_SIZE_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Of the ledgers of all clusters.
struct LedgerSize {
  int64_t records = 0;  // As PostgreSQL's statistics estimate them.
  int64_t bytes = 0;    // Of the table, with its indexes.
};

struct LedgerAge {
  std::string cluster;
  absl::Time horizon = absl::InfinitePast();  // See RetentionStore::Horizon.
  std::optional<absl::Time> oldest_end;       // Of the records; unset = there is none.
};

class LedgerSizeStore {
 public:
  explicit LedgerSizeStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<LedgerSize> Size();

  // Of every cluster, by name.
  absl::StatusOr<std::vector<LedgerAge>> Ages();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_LEDGER_SIZE_STORE_H_
