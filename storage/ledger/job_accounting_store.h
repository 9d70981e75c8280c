// Accounting data of jobs: a row for each record of the ledger that has any.
#ifndef STORAGE_LEDGER_JOB_ACCOUNTING_STORE_H_
#define STORAGE_LEDGER_JOB_ACCOUNTING_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;
struct UsageRecord;

// Unset = unknown. Times are whole microseconds. Stored rows always have start_time and end_time.
struct JobAccounting {
  std::optional<std::string> state;  // Slurm's word: COMPLETED.
  std::optional<int32_t> exit_code;
  std::optional<int32_t> exit_signal;
  std::optional<absl::Time> submit_time;
  std::optional<absl::Time> eligible_time;
  std::optional<absl::Time> start_time;      // Of the run that the record is of, or a part of.
  std::optional<absl::Time> end_time;        // Not before start_time.
  std::optional<absl::Duration> time_limit;  // Whole seconds.
  std::optional<double> total_cpu;           // Seconds.
  std::optional<double> max_rss;             // MiB.
  std::optional<double> req_cpus;
  std::optional<double> req_mem;  // MiB.
  std::optional<std::string> node_list;
  bool operator==(const JobAccounting&) const = default;
};

// Accounting data with its record.
struct JobAccountingRow {
  std::string source;
  std::string record_id;
  std::string job_id;  // not empty
  absl::Time record_end;
  JobAccounting job;
  bool operator==(const JobAccountingRow&) const = default;
};

// The columns of the table.
const ColumnTable<JobAccountingRow>& JobAccountingColumns();

class JobAccountingStore {
 public:
  explicit JobAccountingStore(Transaction& transaction) : transaction_(transaction) {}

  // Writes the accounting data (UsageRecord::job) of `records`; runs no statement if none has any.
  // REQUIRES: the records were inserted by LedgerStore::Insert earlier in the same transaction.
  absl::Status Insert(int32_t cluster_id, const std::vector<const UsageRecord*>& records);

  // Deletes at most `limit` rows of records that ended before `horizon`, the horizon of the ledger.
  // Returns their number.
  absl::StatusOr<int64_t> DeleteBefore(int32_t cluster_id, absl::Time horizon, int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_JOB_ACCOUNTING_STORE_H_
