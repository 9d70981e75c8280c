// What reports and limits read of the ledger.
#ifndef STORAGE_REPORT_STORE_H_
#define STORAGE_REPORT_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// Until when a job was charged.
struct JobEnd {
  std::string job_id;
  absl::Time end_time;
  bool operator==(const JobEnd&) const = default;
};

class ReportStore {
 public:
  explicit ReportStore(Transaction& transaction) : transaction_(transaction) {}

  // The latest end_time of every job that has a record that ends after `since`,
  // by job_id. Records without job_id are left out.
  absl::StatusOr<std::vector<JobEnd>> LatestEnds(int32_t cluster_id, absl::Time since);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_REPORT_STORE_H_
