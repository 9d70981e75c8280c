// What the running jobs of a queue have, and may still use: TRESRunMins.
#ifndef PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_
#define PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/priority/association_tree.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"
#include "server/priority/tres.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::budgets {

// What Slurm takes for the time of a job without a time limit: 4294967295 minutes.
inline constexpr double kLongestSeconds = 4294967295.0 * 60;

// Of an association with all below it, or of a QOS; array tasks count singly.
struct JobSums {
  double submitted = 0;           // Jobs that run or wait; of QOS alone.
  double running = 0;             // Jobs that run or are suspended.
  priority::TresMap tres;         // What these have; `billing` among them, as everywhere below.
  priority::TresMap run_seconds;  // What they may still use, times UsageFactor.
  double wall_seconds = 0;        // The same of time.
};

// Immutable.
class RunningUsage {
 public:
  // Nothing runs.
  RunningUsage() = default;
  // A job may still use what it has for max(0, start + time limit - until when it is charged).
  // That is told by the ledger where something limits usage, which makes snapshots know it; else
  // it is the moment of the snapshot, as in Slurm.
  explicit RunningUsage(std::shared_ptr<const queue::QueueState> state);

  // Of the associations of `snapshot`, which may be another than the jobs were counted for.
  const JobSums& OfAssociation(const priority::Snapshot& snapshot,
                               priority::AssociationIndex i) const;
  const JobSums& OfQos(const priority::Snapshot& snapshot, int qos) const;

 private:
  std::shared_ptr<const queue::QueueState> state_;
  absl::flat_hash_map<priority::AssociationIndex, JobSums> associations_;
  std::vector<JobSums> qos_;
};

// The time that a job has: its time limit, else MaxWall, else its partition's DefaultTime or
// MaxTime; infinite without any. -1 = no partition, no QOS, kNoAssociation = no association.
absl::Duration TimeLimitOf(const priority::Snapshot& snapshot, const priority::Job& job,
                           priority::AssociationIndex association, int partition, int qos);

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_RUNNING_USAGE_H_
