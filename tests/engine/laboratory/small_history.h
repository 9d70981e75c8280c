// Small sites and histories; each test changes what it is about.
#ifndef PRIORITYD_TESTS_ENGINE_LABORATORY_SMALL_HISTORY_H_
#define PRIORITYD_TESTS_ENGINE_LABORATORY_SMALL_HISTORY_H_

#include <random>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/laboratory/history.h"

namespace priorityd::laboratory {

// A Monday, and a multiple of every PriorityCalcPeriod that divides a day.
inline const absl::Time kBegin = absl::FromUnixSeconds(1'800'000'000 - 1'800'000'000 % 86400);

// `nodes` nodes of `cpus` CPUs in one partition `main`, account `lab` with the users u0, u1, ... of
// one share each.
struct SmallSite {
  SmallSite(int nodes, int cpus, int users);

  Site Build() const;

  Site site;  // Its tree is made by Build.
  std::vector<priority::Association> associations;
};

// Of u0, on nodes of one CPU, eligible, submitted and started so many seconds after kBegin.
HistoryJob JobOf(const std::string& id, int eligible, int run_time, int nodes = 1);

// Random jobs of a site of `nodes` nodes of one CPU and `users` users: whole seconds; some run
// longer than their limit, some for no time, many come at once. Sorted.
std::vector<HistoryJob> RandomHistory(std::mt19937_64& random, int jobs, int nodes, int users);

// What `jobs` would have been recorded as if they had started so. REQUIRES: all start.
std::vector<HistoryJob> AsRecorded(std::vector<HistoryJob> jobs, const Schedule& schedule);

// Starts as seconds after kBegin; -1 = never.
std::vector<int64_t> Seconds(const Schedule& schedule);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_TESTS_ENGINE_LABORATORY_SMALL_HISTORY_H_
