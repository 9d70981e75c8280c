// What a schedule of a history came to: waits, slowdown, utilisation, who got how much.
#ifndef PRIORITYD_SERVER_LABORATORY_MEASURES_H_
#define PRIORITYD_SERVER_LABORATORY_MEASURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/laboratory/history.h"

namespace priorityd::laboratory {

// Of what is measured: a job that was eligible in [begin, end] and not started before `begin`.
struct Period {
  absl::Time begin;
  absl::Time end;
};

// From `from`, or where that is InfinitePast() from the first eligible job, to the last one that
// becomes eligible. Both the epoch where there is none.
Period PeriodOf(absl::Span<const HistoryJob> jobs, absl::Time from);

// Over some jobs that started. Percentiles are by nearest rank: the smallest value that so many
// percent of all do not exceed. All 0 of no job.
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

// Of jobs of one user, account or size.
struct Group {
  std::string name;
  int64_t jobs = 0;             // Measured, started or not.
  Spread wait;                  // In seconds.
  double slowdown = 0;          // Mean of the bounded slowdown.
  double cpu_seconds = 0;       // Used in the period by anyone of it, also by jobs not measured.
  double usage = 0;             // Part of all those, 0 to 1.
  std::optional<double> share;  // What is due by shares, 0 to 1; unset of sizes and of root.
};

struct Measures {
  int64_t jobs = 0;  // Measured, started or not.
  // Of those that started within what was played.
  Spread wait;      // From when they are eligible to their start, in seconds.
  Spread slowdown;  // Bounded.
  // CPU-seconds used in the period by those the cluster had; 0 for an empty period.
  double utilisation = 0;
  absl::Duration makespan;   // From the period's begin to the last end of a measured job.
  std::vector<Group> users;  // All of these with jobs in the period, by name.
  std::vector<Group> accounts;
  std::vector<Group> sizes;  // By CPUs; the smallest first.
};

// `schedule` has a start for each of `jobs`, which are sorted.
Measures Measure(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                 const Period& period);

// Whether the job is measured.
bool IsMeasured(const HistoryJob& job, const Period& period);

// How the measured jobs of one schedule differ from another's: of those that start in both.
struct Difference {
  int64_t jobs = 0;
  int64_t same = 0;  // That start in the same second.
  int64_t earlier = 0;
  int64_t later = 0;
  double mean_seconds = 0;     // Of the distances.
  double largest_seconds = 0;  // Of these.
};
Difference Compare(absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                   const Schedule& other, const Period& period);

// The association that a job is charged to; kNoAssociation where the site has none.
priority::AssociationIndex AssociationOf(const Site& site, const HistoryJob& job);

// What is due to each association by shares, as part of the whole: those of the levels above
// multiplied. What is due to an account is divided evenly among its users with Fairshare=parent.
std::vector<double> DueShares(const priority::AssociationTree& tree);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_MEASURES_H_
