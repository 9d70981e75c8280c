// A job, as a forecast needs it.
#ifndef PRIORITYD_ENGINE_FORECAST_JOB_H_
#define PRIORITYD_ENGINE_FORECAST_JOB_H_

#include <cstdint>
#include <optional>
#include <string>

#include "engine/numbers/most_amount.h"

namespace priorityd::forecast {

// Unix time in whole seconds.
using Seconds = int64_t;

// The facts about a job that only a service that ranks the jobs knows, as of the time of the
// forecast. A trace has none of them. Unset = unknown.
struct Knowledge {
  std::optional<double> jobs_ahead;     // Pending jobs ahead of it in the start order.
  std::optional<double> work_ahead;     // CPUs x time limit of these, in CPU seconds.
  std::optional<double> priority;       // As Slurm's, 0 to 2^32 - 1.
  std::optional<double> fair_share;     // The factor, 0 to 1.
  std::optional<double> held_by_limit;  // 1 = a limit or a hold blocks it now, 0 = none does.
  std::optional<double> planned_wait;   // Seconds until the start that the plan gives it.
  // The same if each job runs as long as such jobs usually do instead of up to its time limit.
  std::optional<double> expected_wait;
  // Seconds before which it cannot start even without any other job, because of reservations; no
  // feature, but a bound on its forecast.
  std::optional<double> earliest_wait;
};

// A job that waits, or one that a user only thinks of. Names are compared and never read; an empty
// one is a name too.
struct Job {
  std::string id;           // Unique among the jobs that wait or run.
  Seconds submit_time = 0;  // The time it became eligible, if that was later.
  double cpus = 1;          // Above 0. A site that allocates whole nodes can give nodes instead.
  double limit = 0;         // Seconds; 0 = unknown.
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  Knowledge known;
};

// Whether its size and its limit are such that sums over queues count it: numbers in the ranges
// above, and none that would hide all others, or be infinite in a product.
inline bool IsCountable(const Job& job) {
  return job.cpus > 0 && job.cpus <= numbers::kMostAmount && job.limit >= 0 &&
         job.limit <= numbers::kMostAmount;
}

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_JOB_H_
