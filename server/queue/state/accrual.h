// Since when a tracked job accrues age, across holds, dependencies, begin times and limits
// (docs/semantics.md, section 6, "Tracked").
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_

#include <vector>

#include "absl/time/time.h"
#include "server/priority/age_rule.h"
#include "server/priority/job_demand.h"
#include "server/priority/job_resolution.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

// `snapshot` must outlive it. Thread-compatible.
class Accruals {
 public:
  explicit Accruals(const priority::Snapshot& snapshot) : resolver_(snapshot), rule_(snapshot) {}

  // Sets accrue_time and accrual_stopped of a job that is new at `now`: as given,
  // else its begin time, else its submit time; one whose age stands still (priority::AgeRule) has
  // accrued nothing but what a given accrue_time says.
  // REQUIRES: submit_time.
  void Begin(absl::Time now, TrackedJob* job);

  // Sets those of `after`, which `before` becomes at `now`: what has its age stand still
  // keeps what has accrued, and when nothing does any more it continues from there. Nothing else
  // moves it, and whatever `after` says of its accrue_time is not read.
  void Carry(const TrackedJob& before, absl::Time now, TrackedJob* after);

 private:
  bool StandsStill(const TrackedJob& job) {
    return rule_.StandsStill(job.job, resolver_.Resolve(job.job),
                             priority::TresCountOf(job.job, "node"));
  }

  priority::JobResolver resolver_;
  priority::AgeRule rule_;
};

// What a recalculation changes: the pending jobs whose age stands still, or does no more, by a
// configuration that holds from `as_of` on.
std::vector<JobChange> MoveAccruals(const QueueState& state, absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
