// Writes a group of batches in one transaction.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_COMMIT_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_COMMIT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/usage/ledger_decision.h"
#include "server/usage/price_books.h"
#include "server/usage/priced_batch.h"
#include "storage/database/transaction.h"

namespace priorityd::usage {

using Group = absl::Span<const std::unique_ptr<QueuedBatch>>;

// Writes the new records of every batch to the ledger, the usage rows of associations and QOS, and
// the counters of running jobs: everything or, on an error, nothing. Returns the results of each
// batch, in order. Clusters, records and rows are locked in a fixed order, so that transactions
// cannot deadlock.
// ABORTED if a batch is priced by an outdated book; PriceBooks::Latest is current then. NOT_FOUND
// no such cluster; the database's errors. REQUIRES: in Database::Write.
absl::StatusOr<std::vector<RecordResults>> WriteGroup(storage::Transaction& transaction,
                                                      Group group, PriceBooks* books);

// Writes the new ones of `records`, which may replace records of any principal, and the usage rows
// that they change. Returns the outcome of each, in order. REQUIRES: in Database::Write, the
// cluster has at least a shared lock, and `book` is current.
absl::StatusOr<std::vector<Outcome>> AppendRecords(storage::Transaction& transaction,
                                                   int32_t cluster_id, const Records& records,
                                                   const PriceBook& book);
// The same if `held` has been read: the records of WantedKeys, and maybe others.
absl::StatusOr<std::vector<Outcome>> AppendFound(storage::Transaction& transaction,
                                                 int32_t cluster_id,
                                                 absl::Span<const storage::HeldRecord> held,
                                                 const Records& records, const PriceBook& book);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_COMMIT_H_
