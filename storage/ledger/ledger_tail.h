// The records appended to a ledger since it was last read.
#ifndef STORAGE_LEDGER_LEDGER_TAIL_H_
#define STORAGE_LEDGER_LEDGER_TAIL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"
#include "storage/ledger/report_store.h"

namespace priorityd::storage {

// The part of a ledger that one Database::Read sees. Records are numbered before they are
// committed, so some that come before `seq` may be seen only later: those of transactions from
// `unfinished` on.
struct LedgerSight {
  int64_t seq = 0;         // Of the last record seen.
  int64_t unfinished = 0;  // The first transaction whose records are not seen, or not for certain.
  // Records of transactions from this one on come after `seq`: none of them had begun, and
  // every writer begins (ClusterStore::LockShared) before it numbers its records.
  int64_t next = 0;
};

// REQUIRES: all in one Database::Read.
class LedgerTail {
 public:
  explicit LedgerTail(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<LedgerSight> Sight(int32_t cluster_id);

  // The latest end of each job among the records after `seq` that count, as
  // ReportStore::LatestEnds.
  absl::StatusOr<std::vector<JobEnd>> LatestEnds(int32_t cluster_id, int64_t seq);

  // The records, of a job each, that one after `seq` replaces.
  absl::StatusOr<std::vector<JobEnd>> Replaced(int32_t cluster_id, int64_t seq);

  // ReportStore::LatestEnds of some jobs only. Reads all records that end after `since`.
  absl::StatusOr<std::vector<JobEnd>> LatestEndsOf(int32_t cluster_id, absl::Time since,
                                                   const std::vector<std::string>& job_ids);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_LEDGER_TAIL_H_
