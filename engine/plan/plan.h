// Plans when waiting jobs start, assuming that every running job uses its whole time limit and no
// new job arrives: the main loop in start order, and backfill. EASY: Lifka, "The ANL/IBM SP
// scheduling system" (1995). Conservative: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001.
#ifndef PRIORITYD_ENGINE_PLAN_PLAN_H_
#define PRIORITYD_ENGINE_PLAN_PLAN_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/plan/running_jobs.h"

namespace priorityd::plan {

// The jobs that may overtake a job that cannot start.
enum class Backfill {
  kNone,  // Jobs that can use none of its nodes.
  // Jobs that do not delay the first such job. Jobs without a common node type are planned
  // independently: a job for one type does not delay jobs for another.
  kEasy,
  kConservative,  // Jobs that delay no job before them.
};

// Named as in slurm.conf's SchedulerParameters, with Slurm's defaults.
struct PlanOptions {
  Backfill backfill = Backfill::kEasy;
  // The number of jobs that are considered from the first one on that waits, in start order.
  // Neither this nor the other caps counts the jobs before it, which the main loop starts, nor jobs
  // that never fit or that the gate holds. At least 1.
  int max_job_test = 500;
  // Of these, the largest number per user, association, and first partition; 0 = no limit.
  int max_job_user = 0;
  int max_job_assoc = 0;
  int max_job_part = 0;
  absl::Duration window = absl::Hours(24);  // No start after that is planned.
  // Whether jobs that neither start now nor get a reservation get an estimated start.
  bool estimate_starts = true;
  // Is asked before each job; true = the plan is not needed any more, and is not completed. Null =
  // it is needed.
  std::function<bool()> must_stop = nullptr;

  // Whether a cap besides max_job_test can leave jobs out.
  bool HasCaps() const { return max_job_user > 0 || max_job_assoc > 0 || max_job_part > 0; }
};

// The limits on running jobs: they decide whether a job may start beside the running jobs and those
// that start before it. Places are numbered as in WaitingJob::places.
class StartGate {
 public:
  virtual ~StartGate() = default;
  virtual bool MayStart(size_t job, size_t place) = 0;
  // The job starts now.
  virtual void Start(size_t job, size_t place) = 0;
};

// The reason that a job does not start now.
enum class Wait {
  kNone,        // It starts now.
  kResources,   // Not enough nodes are free.
  kPriority,    // Nodes are free, but a job before it would be delayed.
  kPool,        // A pool of its place has no room.
  kGate,        // The gate opens none of its places.
  kNeverFits,   // It does not fit an idle cluster.
  kNotLookedAt  // Beyond bf_max_job_test or another cap.
};

struct JobPlan {
  Wait wait = Wait::kNotLookedAt;
  // Unset for kGate, kNeverFits and kNotLookedAt, for a start after the window, and for a job that
  // does not start now and does not reserve.
  std::optional<absl::Time> start;
  // It starts later, and no job after it in the order starts now, or has a reservation, that would
  // delay it.
  bool reserved = false;
  // It starts now on a node that a job before it could use and waits for. Jobs that the gate holds
  // or that do not reserve do not count; under EASY nor do those that wait for a pool or behind
  // another job.
  bool backfilled = false;
  // Index of its place; without a start, for kPool and kGate the first place without room.
  int place = 0;
  int pool = -1;           // For kPool: index into Cluster::pools.
  std::vector<int> nodes;  // The nodes that it uses from `start` on.
  // For kResources: the running job, by its number, that uses one of those nodes until then; -1 =
  // unknown.
  int behind_running = -1;
  // The same for a waiting job. For kPriority: the first job that would be delayed.
  int behind_waiting = -1;
};

// Returns one plan for each of `waiting`, which is in start order. Cannot fail: nodes and pools
// that running jobs overuse become free when these jobs end.
//
// The main loop and EASY skip a job that a pool prevents from starting, as Slurm skips jobs at a
// limit: it gets no reservation. Jobs without a reservation get the start that they would have
// after all jobs before them; with the main loop alone, jobs that wait behind another job in each
// of their places get none.
//
// `gate` is asked about each job in turn, whether it has nodes or not; null = it holds none. A job
// that it holds in all places delays no other one. It does not concern starts after `now`. A place
// that it holds, or in which the job never fits, delays no job either.
std::vector<JobPlan> PlanStarts(const Cluster& cluster, absl::Span<const RunningJob> running,
                                absl::Span<const WaitingJob> waiting, absl::Time now,
                                const PlanOptions& options, StartGate* gate = nullptr);
// The same for running jobs that the caller keeps. Leaves them as they were.
std::vector<JobPlan> PlanStarts(RunningJobs* running, absl::Span<const WaitingJob> waiting,
                                absl::Time now, const PlanOptions& options,
                                StartGate* gate = nullptr);

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_PLAN_H_
