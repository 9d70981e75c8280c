// Histories of a simulated site with a known truth.
#ifndef PRIORITYD_TESTS_ENGINE_FORECAST_GENERATED_SITE_H_
#define PRIORITYD_TESTS_ENGINE_FORECAST_GENERATED_SITE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/forecast/backtest.h"

namespace priorityd::forecast {

enum class Order { kSubmission, kUserPriority, kJobPriority };

struct SiteOptions {
  uint64_t seed = 1;
  size_t jobs = 5000;
  int users = 20;
  int cpus = 128;
  double load = .9;  // Work that is submitted by what the cluster can do.
  Order order = Order::kSubmission;
  int most_running_of_user = 0;  // 0 = no limit.
  // Jobs carry Knowledge as of their submission: all of it, or without that of plans.
  bool with_knowledge = false;
  bool with_plan = true;
  // A reservation for maintenance has all CPUs between these times, counted from the first
  // submission; known from the start.
  Seconds reserved_from = 0;
  Seconds reserved_until = 0;
  // From the job of this number on; the number of jobs = never.
  size_t change_at = SIZE_MAX;
  double load_after = 0;  // 0 = as before.
  Order order_after = Order::kSubmission;
  Seconds outage = 0;     // No job starts for so long after the change.
  bool new_user = false;  // Half of the later jobs are of a user that had none.
};

// Jobs arrive one by one, at exponential intervals, each of a user with sizes, time limits and run
// times of their own; sometimes as a burst. At each submission and end, jobs start in the order as
// long as they fit, and later ones if they end by their limits before the first that does not fit
// can start (EASY backfilling). Under kUserPriority each user's priority is drawn again every day,
// under kJobPriority each job has one of its own, such as by QOS, nice and site factor, which
// traces lack.
std::vector<RecordedJob> GenerateSite(const SiteOptions& options);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_TESTS_ENGINE_FORECAST_GENERATED_SITE_H_
