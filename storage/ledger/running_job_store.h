// The last counters of jobs whose usage is reported by counters.
#ifndef STORAGE_LEDGER_RUNNING_JOB_STORE_H_
#define STORAGE_LEDGER_RUNNING_JOB_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

// The usage of a job from start_time to as_of, all of which is in the ledger.
struct RunningJob {
  std::string source;
  std::string job_id;  // not empty
  absl::Time start_time;
  absl::Time as_of;  // not before start_time
  std::vector<NamedAmount> tres_seconds;
  double billing_seconds = 0;
  bool operator==(const RunningJob&) const = default;
};

// The columns of the table.
const ColumnTable<RunningJob>& RunningJobColumns();

class RunningJobStore {
 public:
  explicit RunningJobStore(Transaction& transaction) : transaction_(transaction) {}

  // Locks the rows of the jobs, whose (source, job_id) must differ, until the end
  // of the transaction, after creating those that are missing as given. Returns
  // them in no particular order.
  absl::StatusOr<std::vector<RunningJob>> Lock(int32_t cluster_id,
                                               absl::Span<const RunningJob> jobs);

  // Overwrites rows. REQUIRES: they are locked.
  absl::Status Write(int32_t cluster_id, absl::Span<const RunningJob> jobs);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_RUNNING_JOB_STORE_H_
