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

std::vector<LimitedTask> LimitTasks(std::vector<TrackedJob> tasks,
                                    const std::optional<TrackedJob>& rest) {
  // If it names itself as its array, it is among the tasks.
  if (rest.has_value() && rest->array_job_id.empty()) tasks.push_back(*rest);
  uint64_t running = 0;
  for (const TrackedJob& job : tasks) running += IsRunning(job) ? job.job.array_tasks : 0;
  std::vector<LimitedTask> limited;
  for (const TrackedJob& job : tasks) {
    if (job.ended() || IsRunning(job)) continue;
    auto limit = slurm::ArrayTaskLimit(job.array_task_ids);
    if (!limit.has_value() && rest.has_value()) limit = slurm::ArrayTaskLimit(rest->array_task_ids);
    limited.push_back({std::string(job.job.job_id), job.job.array_limited,
                       limit.has_value() && running >= *limit});
  }
  return limited;
}

}  // namespace priorityd::queue
