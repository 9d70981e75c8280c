// Since when a tracked job accrues age, across holds, dependencies and begin
// times (docs/semantics.md, section 6, "Tracked").
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_

#include "absl/time/time.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Sets accrue_time and accrual_stopped of a job that is new at `now`: as given,
// else its begin time, else its submit time; one that is held or waits for a
// dependency has accrued nothing but what a given accrue_time says.
// REQUIRES: submit_time.
void BeginAccrual(absl::Time now, TrackedJob* job);

// Sets those of `after`, which `before` becomes at `now`: leaving eligibility
// keeps what has accrued, coming back continues from there. Nothing else moves it,
// and whatever `after` says of its accrue_time is not read.
void CarryAccrual(const TrackedJob& before, absl::Time now, TrackedJob* after);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ACCRUAL_H_
