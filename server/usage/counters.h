// The counters of a group of batches, as records for the ledger.
#ifndef PRIORITYD_SERVER_USAGE_COUNTERS_H_
#define PRIORITYD_SERVER_USAGE_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/usage/price_book.h"
#include "server/usage/usage_batch.h"
#include "storage/ledger_store.h"
#include "storage/transaction.h"

namespace priorityd::usage {

// The record that counters came to, and where their result goes.
struct Interval {
  UsageBatch* batch = nullptr;
  size_t place = 0;
  storage::UsageRecord record;
};

// Makes a record of every counters in `batches`, in their order, and keeps the jobs'
// new state; those that come to none have their result afterwards. The records must
// be appended in the same transaction. REQUIRES: the batches are priced by `book`.
absl::StatusOr<std::vector<Interval>> MakeIntervals(storage::Transaction& transaction,
                                                    int32_t cluster_id, const PriceBook& book,
                                                    absl::Span<UsageBatch* const> batches);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COUNTERS_H_
