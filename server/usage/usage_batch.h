// A batch of usage records on its way to the ledger.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_BATCH_H_
#define PRIORITYD_SERVER_USAGE_USAGE_BATCH_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/usage/price_book.h"
#include "server/usage/price_books.h"
#include "server/usage/usage_submission.h"
#include "storage/ledger_store.h"

namespace priorityd::usage {

using RecordResults = std::vector<RecordResult>;

// Not thread-safe; passes from thread to thread.
struct UsageBatch {
  std::string cluster;
  std::vector<UsageSubmission> submissions;
  // Called once, from any thread: one result per record, in their order, after
  // the accepted ones are on disk; or an error, and then the same batch may be
  // sent again.
  std::function<void(absl::StatusOr<RecordResults>)> done;
  // Set as soon as a batch failed that was sent before this one on the same stream;
  // null = there is none. This one is not written then: its records may replace
  // records of that one, and would be rejected without them.
  std::shared_ptr<const std::atomic<bool>> earlier_failed;

  // What Prepare makes.
  std::shared_ptr<const PriceBook> book;
  std::vector<storage::UsageRecord> records;    // Those that may be or go in the ledger,
  std::vector<size_t> places;                   // and where each stands in the batch.
  std::vector<size_t> counters;                 // Where counters of running jobs stand.
  std::map<std::string, int32_t> tres_numbers;  // Of all the above.
  // Rejected ones are so already; also those that cannot be priced any more, unless
  // the ledger turns out to have them.
  RecordResults results;
};

// A record with its price. REQUIRES: every TRES of the price has its number.
storage::UsageRecord ToStorage(const UsageSubmission& record, const Price& price,
                               const std::map<std::string, int32_t>& tres_numbers);

// Validates and prices the records by `book`; to be done again when that is out
// of date. Never REQUIRES a transaction; registers TRES that are new in one of
// its own.
absl::Status Prepare(std::shared_ptr<const PriceBook> book, absl::Time now, PriceBooks* books,
                     UsageBatch* batch);

// What the ledger made of a record; `unpriced` where it could make nothing of it.
RecordResult ResultOf(storage::AppendOutcome outcome, const RecordResult& unpriced);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_BATCH_H_
