#include "server/queue/state/array_limit.h"

#include "engine/slurm/words/array_task_ids.h"

namespace priorityd::queue {
namespace {

bool IsRunning(const TrackedJob& job) {
  return !job.ended() && job.job.state != priority::JobState::kPending;
}

}  // namespace

absl::string_view ArrayOf(const TrackedJob& job) {
  if (!job.array_job_id.empty()) return job.array_job_id;
  return job.array_task_ids.empty() ? "" : job.job.job_id;
}

bool HasTaskLimit(const TrackedJob& job) {
  return job.job.array_limited || slurm::ArrayTaskLimit(job.array_task_ids).has_value();
}

bool MayBeLimited(const TrackedJob& job) { return !job.ended() && !IsRunning(job); }

ArrayLimit::ArrayLimit(const std::optional<TrackedJob>& rest)
    : of_rest_(rest.has_value() ? slurm::ArrayTaskLimit(rest->array_task_ids) : std::nullopt) {}

void ArrayLimit::Count(const TrackedJob& job) {
  if (IsRunning(job)) running_ += job.job.array_tasks;
}

bool ArrayLimit::Holds(const TrackedJob& job) const {
  const auto own = slurm::ArrayTaskLimit(job.array_task_ids);
  const auto limit = own.has_value() ? own : of_rest_;
  return limit.has_value() && running_ >= *limit;
}

}  // namespace priorityd::queue
