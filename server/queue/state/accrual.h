// The accrue time of tracked jobs across holds, dependencies, begin times and limits
// (docs/semantics.md, section 6, "Tracked").
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_

#include <vector>

#include "absl/time/time.h"
#include "engine/priority/jobs/age_rule.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_resolution.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

// `snapshot` must outlive it. Thread-compatible.
class Accruals {
 public:
  explicit Accruals(const priority::Snapshot& snapshot) : resolver_(snapshot), rule_(snapshot) {}

  // Sets accrue_time and accrual_stopped of a job that is new at `now`: the given accrue_time, else
  // its begin time, else its submit time. A pending job whose age stands still (priority::AgeRule)
  // has accrued only what a given accrue_time implies. REQUIRES: submit_time.
  void Begin(absl::Time now, TrackedJob* job);

  // Sets both for `after`, which replaces `before` at `now`: while the age stands still, the job
  // keeps what it has accrued, and it continues from there afterwards. A job that has ended keeps
  // both; a job that is back in the queue starts to accrue again. Nothing else changes the accrue
  // time: the one in `after` is ignored.
  void Continue(const TrackedJob& before, absl::Time now, TrackedJob* after);

 private:
  bool StandsStill(const TrackedJob& job) {
    return rule_.StandsStill(job.job, resolver_.Resolve(job.job),
                             priority::TresCountOf(job.job, "node"));
  }

  priority::JobResolver resolver_;
  priority::AgeRule rule_;
};

// The changes of a recalculation: pending jobs whose age stops or continues under a configuration
// in force from `as_of` on.
std::vector<JobChange> MoveAccruals(const QueueState& state, absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
