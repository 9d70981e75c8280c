// A batch of usage records, validated and priced.
#ifndef PRIORITYD_SERVER_USAGE_PRICED_BATCH_H_
#define PRIORITYD_SERVER_USAGE_PRICED_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/usage/price_book.h"
#include "server/usage/price_books.h"
#include "server/usage/submitted_batch.h"
#include "storage/ledger_store.h"

namespace priorityd::usage {

using TresNumbers = std::map<std::string, int32_t>;

// What is known of a batch before the ledger is asked. Nothing changes it: where `book`
// is out of date, the submitted batch is priced again.
struct PricedBatch {
  std::shared_ptr<const PriceBook> book;
  // Those that may be in the ledger or go into it, and the places they have in the batch.
  // Without an association (0) it cannot be charged to anybody any more, but the ledger
  // may have it.
  std::vector<storage::UsageRecord> records;
  std::vector<size_t> places;
  // The places of counters of running jobs. What these cost depends on those before.
  std::vector<size_t> counters;
  TresNumbers tres_numbers;  // Of all the above.
  // Who recorded all of it; see storage::UsageRecord.
  std::optional<int32_t> recorded_by = std::nullopt;
  // By place: why a record is rejected, or would be if the ledger does not have it.
  RecordResults results;
};

// Validates and prices the records by `book`. Never REQUIRES a transaction; registers
// TRES that are new in one of its own, whose errors it returns.
absl::StatusOr<PricedBatch> PriceBatch(std::shared_ptr<const PriceBook> book,
                                       absl::Span<const UsageSubmission> submissions,
                                       absl::Time now, PriceBooks* books);

// A batch on its way to the ledger.
struct QueuedBatch {
  SubmittedBatch submitted;
  PricedBatch priced;
  std::shared_ptr<void> place;  // In the committer's queue.
  absl::Time queued_at;
  int64_t number = 0;  // Ascending in the order of queueing.
  int track = 0;       // Of its cluster's lane.
};

// A record with its price. REQUIRES: every TRES of the price has its number.
storage::UsageRecord ToRecord(const UsageSubmission& submission, const Price& price,
                              const TresNumbers& tres_numbers);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_PRICED_BATCH_H_
