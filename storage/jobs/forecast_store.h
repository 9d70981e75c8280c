// The events of the jobs of a tracked queue, from which forecasts learn.
#ifndef STORAGE_JOBS_FORECAST_STORE_H_
#define STORAGE_JOBS_FORECAST_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

struct ForecastEventRow {
  int64_t number = 0;
  int32_t kind = 0;    // Of the caller's own.
  int64_t at = 0;      // Unix time, in seconds.
  std::string job_id;  // Empty = of no job.
  double cpus = 0;
  double time_limit = 0;  // Seconds; 0 = unknown.
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  // See forecast::Knowledge; unset = unknown.
  std::optional<double> jobs_ahead;
  std::optional<double> work_ahead;
  std::optional<double> priority;
  std::optional<double> fair_share;
  std::optional<double> held_by_limit;
  std::optional<double> planned_wait;
  std::optional<double> expected_wait;
  std::optional<double> earliest_wait;
  bool operator==(const ForecastEventRow&) const = default;
};

// The columns of the table.
const ColumnTable<ForecastEventRow>& ForecastEventColumns();

// The events of a cluster are numbered from 1, without gaps at the end that is kept.
class ForecastStore {
 public:
  explicit ForecastStore(Transaction& transaction) : transaction_(transaction) {}

  // The number of the last event; 0 = none.
  absl::StatusOr<int64_t> Last(int32_t cluster_id);

  // Adds events, each with its number. ALREADY_EXISTS: another replica added one with such a
  // number. FAILED_PRECONDITION: the cluster is being moved to another cell.
  absl::Status Append(int32_t cluster_id, const std::vector<ForecastEventRow>& events);

  // The events after this number, by number, at most `limit`.
  absl::StatusOr<std::vector<ForecastEventRow>> List(int32_t cluster_id, int64_t after,
                                                     int64_t limit);

  // Deletes the events up to this number.
  absl::Status DeleteUntil(int32_t cluster_id, int64_t number);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_JOBS_FORECAST_STORE_H_
