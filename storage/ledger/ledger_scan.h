// Reads the usage ledger from end to end, to sum it up again: what is rolled up,
// then the records that will be, both of one moment, then all others page by page.
// That is the whole as long as the horizon stays where it is: records before it may
// move into buckets at any time, but none is added.
#ifndef STORAGE_LEDGER_LEDGER_SCAN_H_
#define STORAGE_LEDGER_LEDGER_SCAN_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/usage_bucket.h"

namespace priorityd::storage {

// A stretch of the ledger: what was appended after `after`, up to `upto`, as
// LedgerScan::End answered them, and ends at the horizon or later.
struct LedgerRange {
  int64_t after = 0;
  int64_t upto = 0;
  absl::Time horizon = absl::InfinitePast();
};

// One page of a range, in the order of appending.
struct LedgerPage {
  // With times, amounts, owners, partition and price; without the submitter.
  std::vector<UsageRecord> records;
  // The begin of the next page; the end of the range after the last page.
  int64_t next = 0;
};

class LedgerScan {
 public:
  explicit LedgerScan(Transaction& transaction) : transaction_(transaction) {}

  // The current end of the cluster's ledger: everything up to it is committed, and
  // whatever is appended to the cluster later comes after it. REQUIRES: the
  // cluster is locked by ClusterStore::Lock, so that no append is under way.
  absl::StatusOr<int64_t> End(int32_t cluster_id);
  // The same of several clusters, in their order.
  absl::StatusOr<std::vector<int64_t>> Ends(const std::vector<int32_t>& cluster_ids);

  // All that is rolled up, given to `take` page by page. REQUIRES: once in a
  // transaction; with ReadOld in one Database::Read, or the cluster is locked by
  // ClusterStore::Lock.
  absl::Status ReadBuckets(int32_t cluster_id,
                           absl::FunctionRef<void(const std::vector<UsageBucket>&)> take);

  // The same for the records that end before `horizon` and count.
  absl::Status ReadOld(int32_t cluster_id, absl::Time horizon,
                       absl::FunctionRef<void(const std::vector<UsageRecord>&)> take);

  // The records that count and end after `time`, and the averages of the buckets that do, in no
  // particular order. REQUIRES: once in a transaction; in Database::Read, or the cluster is locked
  // by ClusterStore::Lock.
  absl::Status ReadEndingAfter(int32_t cluster_id, absl::Time time,
                               absl::FunctionRef<void(const std::vector<UsageRecord>&)> take);

  // At most `limit` records of the cluster that lie in `range` from `from` on (the
  // range's beginning or the last page's `next`), without those that a record up
  // to the range's end replaces.
  absl::StatusOr<LedgerPage> Read(int32_t cluster_id, const LedgerRange& range, int64_t from,
                                  int64_t limit);

  // The records before `range` that one in it replaces: they were read with an
  // earlier range and count no more.
  absl::StatusOr<std::vector<UsageRecord>> ReadReplaced(int32_t cluster_id,
                                                        const LedgerRange& range);

 private:
  template <typename T>
  absl::Status ReadAll(const char* declare, absl::Span<const Parameter> parameters,
                       const char* fetch, T (*decode)(RowReader&),
                       absl::FunctionRef<void(const std::vector<T>&)> take);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_LEDGER_SCAN_H_
