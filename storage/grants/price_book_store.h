// Price books, of which usage is priced for grants of money.
#ifndef STORAGE_GRANTS_PRICE_BOOK_STORE_H_
#define STORAGE_GRANTS_PRICE_BOOK_STORE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// A version of a book, until the next one begins.
struct PriceBook {
  std::string name;
  absl::Time begin_time;
  std::string currency;
  std::string time_zone;
  std::vector<std::string> rules;  // The words are the caller's own.
  std::string changed_by;
  std::string comment;
  bool operator==(const PriceBook&) const = default;
};

// The columns of the table.
const ColumnTable<PriceBook>& PriceBookColumns();

// A change of the rows also makes a new revision of the configuration, and the usage of grants by
// the book is settled again if the ledger has usage after the begin of the version.
class PriceBookStore {
 public:
  explicit PriceBookStore(Transaction& transaction) : transaction_(transaction) {}

  // The clusters that have books, without deleted ones: ids and names.
  absl::StatusOr<std::vector<std::pair<int32_t, std::string>>> ListClusters();
  // By name, in bytewise order, then by begin_time.
  absl::StatusOr<std::vector<PriceBook>> List(int32_t cluster_id);
  // Replaces the version of that name and begin_time.
  absl::Status Write(int32_t cluster_id, const PriceBook& book);
  absl::Status Delete(int32_t cluster_id, const std::string& name, absl::Time begin_time);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_GRANTS_PRICE_BOOK_STORE_H_
