// The standbys of the primary, as it sees them.
#ifndef STORAGE_DATABASE_STANDBY_STORE_H_
#define STORAGE_DATABASE_STANDBY_STORE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

struct StandbyLag {
  std::string name;    // application_name of its connection; Patroni's is the host.
  double seconds = 0;  // Since the oldest change that it has not replayed.
  double bytes = 0;    // Of the log that it has not replayed.
};

class StandbyStore {
 public:
  // At most so many are listed: those that are furthest behind.
  static constexpr int kMost = 32;

  explicit StandbyStore(Transaction& transaction) : transaction_(transaction) {}

  // The standbys that stream; of one name the worst. Empty too if the role must not see them
  // (pg_read_all_stats).
  absl::StatusOr<std::vector<StandbyLag>> List();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_STANDBY_STORE_H_
