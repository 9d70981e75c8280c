// `%LIMIT` of job arrays: how many tasks run at a time.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The array that a job is of: one that it was split off, or is the rest of; empty = none.
absl::string_view ArrayOf(const TrackedJob& job);

// Whether the array's limit acts on the job, or acts by it.
bool HasTaskLimit(const TrackedJob& job);

struct LimitedTask {
  std::string job_id;
  bool was_limited;
  bool is_limited;
};

// Of an array's pending jobs, whether as many of its tasks run, or are suspended, as may: by the
// limit of their own array_task_ids, else by that of `rest`, the job that the tasks were split off.
std::vector<LimitedTask> LimitTasks(std::vector<TrackedJob> tasks,
                                    const std::optional<TrackedJob>& rest);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
