// `%LIMIT` of job arrays: the maximum number of tasks that run at a time.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The array of a job that is a task split off it or the array's remaining job; empty = none.
absl::string_view ArrayOf(const TrackedJob& job);

// Whether the array's limit applies to the job, or counts it.
bool HasTaskLimit(const TrackedJob& job);

struct LimitedTask {
  std::string job_id;
  bool was_limited;
  bool is_limited;
};

// For an array's pending jobs, whether the limit of running and suspended tasks is reached: the
// limit in their own array_task_ids, else that of `rest`, the job from which the tasks were split
// off.
std::vector<LimitedTask> LimitTasks(std::vector<TrackedJob> tasks,
                                    const std::optional<TrackedJob>& rest);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
