// Measures of a schedule: waiting times, slowdown, utilisation, usage by user.
#ifndef PRIORITYD_ENGINE_LABORATORY_MEASURES_H_
#define PRIORITYD_ENGINE_LABORATORY_MEASURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/history.h"

namespace priorityd::laboratory {

// The measured period: a job counts if it became eligible in [begin, end] and started at `begin` or
// later.
struct Period {
  absl::Time begin;
  absl::Time end;
};

// From `from` (InfinitePast() = the first eligible time) to the last eligible time. Both are the
// Unix epoch if there are no jobs.
Period PeriodOf(absl::Span<const HistoryJob> jobs, absl::Time from);

// The distribution of a value over started jobs. Percentiles are by nearest rank: the smallest
// value that this percentage of all values does not exceed. All 0 without jobs.
struct Spread {
  int64_t jobs = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double largest = 0;
};
Spread SpreadOf(std::vector<double> values);

// max(1, (wait + run) / max(run, 10 seconds)): Feitelson and Rudolph, JSSPP 1998.
double BoundedSlowdown(absl::Duration wait, absl::Duration run_time);

// The measures of the jobs of one user, account or size class.
struct Group {
  std::string name;
  int64_t jobs = 0;             // Measured jobs, started or not.
  Spread wait;                  // In seconds.
  double slowdown = 0;          // The mean of the bounded slowdown.
  double cpu_seconds = 0;       // Used in the period, also by jobs that are not measured.
  double usage = 0;             // Its part of all used CPU-seconds, 0 to 1.
  std::optional<double> share;  // Its due share, 0 to 1; unset for size classes and root.
};

struct Measures {
  int64_t jobs = 0;  // Measured jobs, started or not.
  // Of the jobs that started during the simulation:
  Spread wait;      // From their eligible time to their start, in seconds.
  Spread slowdown;  // Bounded slowdown.
  // Used CPU-seconds / CPU-seconds of the cluster in the period; 0 for an empty period.
  double utilisation = 0;
  absl::Duration makespan;   // From the begin of the period to the last end of a measured job.
  std::vector<Group> users;  // Users with jobs in the period, by name.
  std::vector<Group> accounts;
  std::vector<Group> sizes;  // By number of CPUs, ascending.
};

// REQUIRES: `jobs` are sorted (SortHistory) and `schedule` has an entry for each.
Measures Measure(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                 const Period& period);

// Whether the job counts in the period.
bool IsMeasured(const HistoryJob& job, const Period& period);

// The difference between two schedules, over the measured jobs that start in both.
struct Difference {
  int64_t jobs = 0;
  int64_t same = 0;  // Jobs that start in the same second.
  int64_t earlier = 0;
  int64_t later = 0;
  double mean_seconds = 0;     // The mean distance between the two starts.
  double largest_seconds = 0;  // The largest distance.
};
Difference Compare(absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                   const Schedule& other, const Period& period);

// The association that a job is charged to; kNoAssociation = the site has none for it.
priority::AssociationIndex AssociationOf(const Site& site, const HistoryJob& job);

// The due share of each association, as a part of the whole: the product of the norm shares from
// root down. The share of an account is divided evenly among its users with Fairshare=parent.
std::vector<double> DueShares(const priority::AssociationTree& tree);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_MEASURES_H_
