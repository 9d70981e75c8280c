// The database's clock.
#ifndef STORAGE_DATABASE_CLOCK_H_
#define STORAGE_DATABASE_CLOCK_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The current time, not that of the begin of the transaction.
absl::StatusOr<absl::Time> ReadClock(Transaction& transaction);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_CLOCK_H_
