// `%LIMIT` of job arrays: the maximum number of tasks that run at a time.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The array of a job that is a task split off it or the array's remaining job; empty = none.
absl::string_view ArrayOf(const TrackedJob& job);

// Whether the array's limit applies to the job, or counts it.
bool HasTaskLimit(const TrackedJob& job);

// Whether the job waits, so that its array's limit can hold it back.
bool MayBeLimited(const TrackedJob& job);

// Of the running and suspended tasks of an array.
class ArrayLimit {
 public:
  // `rest`: the job from which the tasks were split off.
  explicit ArrayLimit(const std::optional<TrackedJob>& rest);

  // Call for each job of the array, before Holds.
  void Count(const TrackedJob& job);
  // Whether the limit of a waiting job is reached: that in its own array_task_ids, else that of the
  // rest.
  bool Holds(const TrackedJob& job) const;

 private:
  const std::optional<uint32_t> of_rest_;
  uint64_t running_ = 0;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ARRAY_LIMIT_H_
