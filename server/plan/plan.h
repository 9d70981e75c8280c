// When waiting jobs start, if every running job takes all its time limit and nothing new comes: the
// main loop in start order, and backfill. EASY is Lifka, "The ANL/IBM SP scheduling system" (1995);
// conservative Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.
#ifndef PRIORITYD_SERVER_PLAN_PLAN_H_
#define PRIORITYD_SERVER_PLAN_PLAN_H_

#include <limits>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/plan/cluster.h"

namespace priorityd::plan {

// Who may overtake a job that cannot start.
enum class Backfill {
  kNone,  // Nobody who could use a node that it could.
  // Whoever does not delay the first such job. Of jobs that have no node type in common each first
  // one counts: a job for one type holds up none for another.
  kEasy,
  kConservative,  // Whoever delays nobody.
};

// The names of slurm.conf's SchedulerParameters, and Slurm's defaults.
struct PlanOptions {
  Backfill backfill = Backfill::kEasy;
  int max_job_test = 500;  // Jobs that are looked at, in start order.
  // Of these, of one user, association, partition (a job's first); 0 = all.
  int max_job_user = 0;
  int max_job_assoc = 0;
  int max_job_part = 0;
  absl::Duration window = absl::Hours(24);  // No start later than that is planned.
  bool foretell =
      true;  // Else jobs that neither start now nor get a reservation are told no start.
};

// Why a job does not start now.
enum class Wait {
  kNone,        // It does.
  kResources,   // Nodes are not free.
  kPriority,    // They are, and a job before it would be delayed.
  kPool,        // A pool of its place has no room.
  kNeverFits,   // The cluster, idle, has no room.
  kNotLookedAt  // Behind bf_max_job_test, or over another cap.
};

struct JobPlan {
  Wait wait = Wait::kNotLookedAt;
  // Unset where wait is kNeverFits or kNotLookedAt, where it is after the window, and of a job that
  // does not start now and does not reserve.
  std::optional<absl::Time> start;
  // Nobody behind it in the order starts now or is reserved for so that it would be later.
  bool reserved = false;
  // It starts now before one who is before it in the order and could use a node of its types.
  bool backfilled = false;
  int place = 0;           // Which of its places; of kPool the one that has no room.
  int pool = -1;           // Of kPool: by its place in the place's pools.
  std::vector<int> nodes;  // From `start` on.
  // Of kResources: who holds one of those nodes until then, by number; -1 = nobody known.
  int behind_running = -1;
  int behind_waiting = -1;  // Likewise. Of kPriority: the first who would be delayed.
};

// One for each of `waiting`, which are in start order. Total: nodes and pools that running jobs
// hold beyond what there is are not free before those end; a job past its end is taken to end a
// minute from `now`.
//
// A job that a pool keeps from starting is passed over by the main loop and by EASY, as Slurm
// passes over jobs at a limit: it gets no reservation. Jobs that get none are told when they would
// start behind all before them; with the main loop alone, not those that wait behind another.
std::vector<JobPlan> PlanStarts(const Cluster& cluster, absl::Span<const RunningJob> running,
                                absl::Span<const WaitingJob> waiting, absl::Time now,
                                const PlanOptions& options);

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_PLAN_H_
