#include "server/queue/state/accrual.h"

#include <algorithm>

#include "server/priority/eligibility.h"

namespace priorityd::queue {
namespace {

bool KeptBack(const TrackedJob& job) {
  return priority::Eligibility::OfJob(job.job) != priority::Reason::kNone;
}

absl::Time BeginOf(const TrackedJob& job) {
  return job.job.begin_time().value_or(absl::InfinitePast());
}

}  // namespace

void BeginAccrual(absl::Time now, TrackedJob* job) {
  job->accrual_stopped.reset();
  if (!KeptBack(*job)) {
    if (job->job.accrue_time.has_value()) return;
    job->job.accrue_time = job->job.begin_time().value_or(*job->job.submit_time);
    return;
  }
  job->accrual_stopped = now;
  job->job.accrue_time = std::min(now, job->job.accrue_time.value_or(now));
}

void CarryAccrual(const TrackedJob& before, absl::Time now, TrackedJob* after) {
  after->job.accrue_time = before.job.accrue_time;
  after->accrual_stopped = before.accrual_stopped;
  if (after->job.state != priority::JobState::kPending || after->ended()) return;
  const absl::Time since = *before.job.accrue_time;
  const bool kept_back = KeptBack(*after);
  if (before.accrual_stopped.has_value()) {
    if (kept_back) return;
    const absl::Duration accrued = *before.accrual_stopped - since;
    after->accrual_stopped.reset();
    after->job.accrue_time = std::max(now, BeginOf(*after)) - accrued;
    return;
  }
  // Before its begin time a job has accrued what it will have then.
  const absl::Time old_begin = std::max(now, BeginOf(before));
  const absl::Duration accrued = std::max(absl::ZeroDuration(), old_begin - since);
  if (kept_back) {
    after->accrual_stopped = now;
    after->job.accrue_time = now - accrued;
    return;
  }
  const absl::Time new_begin = std::max(now, BeginOf(*after));
  if (new_begin != old_begin) after->job.accrue_time = new_begin - accrued;
}

}  // namespace priorityd::queue
