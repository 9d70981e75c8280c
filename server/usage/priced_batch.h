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
#include "storage/ledger/ledger_store.h"

namespace priorityd::usage {

using TresNumbers = std::map<std::string, int32_t>;

// A batch before its comparison with the ledger. Immutable: if `book` is outdated, the submitted
// batch is priced again.
struct PricedBatch {
  std::shared_ptr<const PriceBook> book;
  // Records that may be in the ledger or enter it, and their places in the batch. A record without
  // association (0) can no longer be charged, but the ledger may have it.
  std::vector<storage::UsageRecord> records;
  std::vector<size_t> places;
  // The places of counters of running jobs, whose cost depends on earlier counters.
  std::vector<size_t> counters;
  TresNumbers tres_numbers;  // For all of the above.
  // The principal that recorded the batch; see storage::UsageRecord.
  std::optional<int32_t> recorded_by = std::nullopt;
  // By place: why a record is rejected, or would be rejected if the ledger lacks it.
  RecordResults results;
};

// Validates and prices the records by `book`. Needs no open transaction; registers new TRES in its
// own, whose errors it returns.
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
