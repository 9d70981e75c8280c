// Simulates a history of jobs under a policy.
#ifndef PRIORITYD_ENGINE_LABORATORY_SIMULATION_H_
#define PRIORITYD_ENGINE_LABORATORY_SIMULATION_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/price_book.h"
#include "engine/laboratory/grant_ledger.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/job_queue.h"
#include "engine/plan/plan.h"
#include "engine/priority/site/policy.h"

namespace priorityd::laboratory {

struct PlayOptions {
  priority::Policy policy;
  std::vector<TriedGrant> grants;
  grants::PriceBooks prices;  // Of the grants of money.
  plan::PlanOptions plan;     // `estimate_starts` is not read.
  // Jobs that started before this time keep their recorded starts; they give the initial usage and
  // the initial queue.
  absl::Time from = absl::InfinitePast();
};

struct Played {
  Schedule schedule;
  std::vector<std::vector<int>> nodes;  // By job: its nodes, as numbered by Machine.
  int64_t backfilled = 0;               // Jobs that started before one ahead of them.
  std::map<std::string, int64_t>
      never_started;  // The number of jobs by Slurm's reason, or Refused.
  std::vector<std::vector<InEffect>> in_effect;  // By grant: when jobs had its consequence.
  std::set<HeldJob> held;
  std::vector<Refusal> refused;  // By grants, in the order of time.
  // The work of the simulation.
  int64_t rankings = 0;
  int64_t plans = 0;
  int64_t recalculations = 0;
};

// An event-driven simulation. Events: a job ends, a job becomes eligible and, while jobs wait, a
// recalculation at each multiple of PriorityCalcPeriod. At each event, if any job fits the free
// nodes, the queue is ranked and jobs are started. A job runs for its recorded run time, whatever
// its time limit; plans use the time limit. If limits are enforced, each start counts before the
// next one. Jobs that can never start keep waiting. Deterministic: the same input gives the same
// result, bit by bit.
//
// Grants are charged what the simulation runs, and judged at recalculations. One that refuses jobs
// does so when they are submitted; they never start, and come no second time. A warning is noted
// and does nothing.
//
// `progress` is called after each event at which jobs started, with the number of all that have
// started so far, recorded starts included.
//
// REQUIRES: `jobs` are sorted (SortHistory) and have unique ids.
Played Play(
    const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options,
    absl::FunctionRef<void(int64_t started)> progress = [](int64_t) {});

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_SIMULATION_H_
