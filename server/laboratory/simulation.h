// A history played under a policy.
#ifndef PRIORITYD_SERVER_LABORATORY_SIMULATION_H_
#define PRIORITYD_SERVER_LABORATORY_SIMULATION_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/laboratory/history.h"
#include "server/plan/plan.h"
#include "server/priority/policy.h"

namespace priorityd::laboratory {

struct PlayOptions {
  priority::Policy policy;
  plan::PlanOptions plan;  // `estimate_starts` is not read.
  // Jobs that started before are played as they were recorded, and make the usage and the queue
  // that the play begins with.
  absl::Time from = absl::InfinitePast();
};

struct Played {
  Schedule schedule;
  std::vector<std::vector<int>> nodes;           // By job: where it ran, as of Machine.
  int64_t backfilled = 0;                        // Jobs that started before one before them.
  std::map<std::string, int64_t> never_started;  // Jobs by Slurm's word for why they could not.
  // What the play took.
  int64_t rankings = 0;
  int64_t plans = 0;
  int64_t recalculations = 0;
};

// From event to event: ends, jobs that become eligible and, while jobs wait, recalculations at the
// multiples of PriorityCalcPeriod. At each the queue is ranked and what may start starts, if
// anything fits that is free. A job runs as long as it ran, whatever its time limit; plans go by
// the limit. Where limits are enforced each start is counted before the next one. Jobs that can
// never start are left waiting. The same input gives the same result, to the bit.
//
// REQUIRES: `jobs` are sorted (SortHistory), and their ids are unique.
Played Play(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_SIMULATION_H_
