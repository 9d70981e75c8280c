// One group of batches in one transaction.
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
#include "storage/transaction.h"

namespace priorityd::usage {

using Group = absl::Span<const std::unique_ptr<QueuedBatch>>;

// Writes what is new of every batch to the ledger, the usage rows of its associations and
// QOS, and the counters of running jobs: all together or, with an error, nothing. Returns
// the results of each batch, in their order. Clusters, records and rows are locked in one
// order, so that transactions wait for each other in one direction.
//
// ABORTED if a batch is priced by a book that is out of date; PriceBooks::Latest is right
// then. NOT_FOUND no such cluster; the database's errors. REQUIRES: in Database::Write.
absl::StatusOr<std::vector<RecordResults>> WriteGroup(storage::Transaction& transaction,
                                                      Group group, PriceBooks* books);

// Writes what is new of `records`, which may replace what any principal recorded, and the usage
// rows that it changes. Returns the outcome of each,
// in their order. REQUIRES: in Database::Write, the cluster is locked, shared at least, and `book`
// is right.
absl::StatusOr<std::vector<Outcome>> AppendRecords(storage::Transaction& transaction,
                                                   int32_t cluster_id, const Records& records,
                                                   const PriceBook& book);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_COMMIT_H_
