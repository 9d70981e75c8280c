// The running jobs of the tracked queues, as far as their cost needs them.
#ifndef STORAGE_LEDGER_STARTED_JOB_STORE_H_
#define STORAGE_LEDGER_STARTED_JOB_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// A running or suspended job that has not ended.
struct StartedJob {
  std::string job_id;
  std::string user;
  std::string account;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::optional<absl::Time> start_time;
  int64_t nodes = 0;
  double cpus = 0;
  std::vector<NamedAmount> tres;  // By name as sent.
  std::optional<int64_t> time_limit_us;
  bool operator==(const StartedJob&) const = default;
};

class StartedJobStore {
 public:
  explicit StartedJobStore(Transaction& transaction) : transaction_(transaction) {}

  // By job_id, bytewise.
  absl::StatusOr<std::vector<StartedJob>> List(int32_t cluster_id);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_STARTED_JOB_STORE_H_
