// The resources of a queue's running jobs and the usage that they may still add (TRESRunMins).
#ifndef PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_
#define PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/budget.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::budgets {

// The time that Slurm assumes for a job without a time limit: 4294967295 minutes.
inline constexpr double kLongestSeconds = 4294967295.0 * 60;

// A running or suspended job; indices of the snapshot of its queue, of which -1 = none.
struct RunningJob {
  const priority::Job& job;
  priority::AssociationIndex association;
  int partition;
  int qos;
  absl::Time from;      // The end of its recorded usage, at least its start.
  absl::Duration left;  // From then to its time limit, at most kLongestSeconds.
};

// Sums over the jobs of an association and everything below it, or of a QOS, its own ones and those
// in partitions that have it. Array tasks count one by one; TRES include `billing`.
struct JobSums {
  double submitted = 0;           // Pending and running jobs; QOS only.
  double running = 0;             // Running and suspended jobs.
  priority::TresMap tres;         // Their TRES counts.
  priority::TresMap run_seconds;  // The TRES-seconds that they may still use, times UsageFactor.
  double wall_seconds = 0;        // The rest of their time limits, times UsageFactor.
};

// Immutable.
class RunningUsage {
 public:
  // No running jobs.
  RunningUsage() = default;
  // A job may still use its TRES for max(0, start + time limit - end of its recorded usage). That
  // end comes from the ledger if usage is limited (snapshots then have it); else it is the time of
  // the snapshot, as in Slurm.
  explicit RunningUsage(std::shared_ptr<const queue::QueueState> state);

  // The snapshot of the jobs; null = there are no jobs.
  const priority::Snapshot* snapshot() const {
    return state_ == nullptr ? nullptr : &state_->snapshot();
  }
  void ForEachJob(absl::FunctionRef<void(const RunningJob& job)> take) const;

  // The sums of an association or QOS of `snapshot`, which may be newer than that of the jobs.
  const JobSums& OfAssociation(const priority::Snapshot& snapshot,
                               priority::AssociationIndex i) const;
  const JobSums& OfQos(const priority::Snapshot& snapshot, int qos) const;

  // The most that the running jobs may still use of a budget of `snapshot`; unit: see Budget.
  double RunSeconds(const priority::Snapshot& snapshot, const Budget& budget) const;

 private:
  std::shared_ptr<const queue::QueueState> state_;
  absl::flat_hash_map<priority::AssociationIndex, JobSums> associations_;
  std::vector<JobSums> qos_;
};

// The effective time limit of a job: its own, else MaxWall, else DefaultTime or MaxTime of its
// partition; infinite if none is set. -1 = no partition or QOS, kNoAssociation = no association.
absl::Duration TimeLimitOf(const priority::Snapshot& snapshot, const priority::Job& job,
                           priority::AssociationIndex association, int partition, int qos);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_
