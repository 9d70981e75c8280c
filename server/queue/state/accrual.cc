#include "server/queue/state/accrual.h"

#include <algorithm>
#include <string>

#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

absl::Time BeginOf(const TrackedJob& job) {
  return job.job.begin_time().value_or(absl::InfinitePast());
}

void CarryAccrual(const TrackedJob& before, absl::Time now, bool stands_still, TrackedJob* after) {
  after->job.accrue_time = before.job.accrue_time;
  after->job.accrual_stopped = before.job.accrual_stopped;
  if (after->job.state != priority::JobState::kPending || after->ended()) return;
  const absl::Time since = *before.job.accrue_time;
  if (before.job.accrual_stopped.has_value()) {
    if (stands_still) return;
    const absl::Duration accrued = *before.job.accrual_stopped - since;
    after->job.accrue_time = priority::AccruesFrom(after->job, now) - accrued;
    after->job.accrual_stopped.reset();
    return;
  }
  // Before its begin time, a job has accrued what it will have accrued at that time.
  const absl::Time old_begin = std::max(now, BeginOf(before));
  const absl::Duration accrued = std::max(absl::ZeroDuration(), old_begin - since);
  if (stands_still) {
    after->job.accrual_stopped = now;
    after->job.accrue_time = now - accrued;
    return;
  }
  const absl::Time new_begin = std::max(now, BeginOf(*after));
  if (new_begin != old_begin) after->job.accrue_time = new_begin - accrued;
}

}  // namespace

void Accruals::Begin(absl::Time now, TrackedJob* job) {
  job->job.accrual_stopped.reset();
  if (job->job.state != priority::JobState::kPending || !StandsStill(*job)) {
    if (job->job.accrue_time.has_value()) return;
    job->job.accrue_time = job->job.begin_time().value_or(*job->job.submit_time);
    return;
  }
  job->job.accrual_stopped = now;
  job->job.accrue_time = std::min(now, job->job.accrue_time.value_or(now));
}

void Accruals::Continue(const TrackedJob& before, absl::Time now, TrackedJob* after) {
  if (!before.ended()) return CarryAccrual(before, now, StandsStill(*after), after);
  if (!after->ended()) return Begin(now, after);
  after->job.accrue_time = before.job.accrue_time;
  after->job.accrual_stopped = before.job.accrual_stopped;
}

std::vector<JobChange> MoveAccruals(const QueueState& state, absl::Time as_of) {
  std::vector<JobChange> changes;
  for (const auto& chunk : state.chunks()) {
    for (const uint32_t i : chunk->table().accrual_moved) {
      const TrackedJob before = chunk->job(i);
      TrackedJob job = before;
      CarryAccrual(before, as_of, !before.job.accrual_stopped.has_value(), &job);
      changes.push_back({std::string(job.job.job_id), PackJob(job)});
    }
  }
  return changes;
}

}  // namespace priorityd::queue
