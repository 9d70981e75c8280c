// Bounds on the number of tracked jobs.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "engine/priority/site/policy.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/submission.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_queue.h"
#include "server/quotas/parts.h"

namespace priorityd::queue {

// The memory of tracked jobs that users may take together: for each of cluster_jobs, and at least.
inline constexpr size_t kBytesPerJob = 1024;
inline constexpr size_t kLeastBytes = 256 << 20;

// Maximum numbers of tracked jobs, including ended jobs that are still kept.
struct QueueBounds {
  size_t cluster_jobs = 2'000'000;
  size_t all_jobs = 5'000'000;  // Of all clusters together.
  // A user's part of cluster_jobs, by the user's own upserts, and a cluster's part of all_jobs.
  quotas::Parts parts;
  InGroup in_group;  // For AllowGroups; null = AllowGroups is ignored.
};

// The memory that the jobs of a cluster may take together, by upserts of users.
size_t BytesOfCluster(const QueueBounds& bounds);

// The room for a queue to grow.
struct QueueRoom {
  QueueBounds bounds;
  size_t other_jobs = 0;            // Of other clusters.
  bool has_other_clusters = false;  // With or without jobs.
};

// The jobs of a queue.
struct TrackedCounts {
  TrackedQueue::Held all;
  TrackedQueue::Held own;  // Jobs of the calling user and of those merged into it.

  // Adds a job or removes it.
  void Count(const TrackedJob& job, bool is_own, bool there);
};

// Of `queue`, for this caller; a service has no jobs of its own.
TrackedCounts CountsFor(const TrackedQueue& queue, const JobRights& rights);

// The refusal to track one more job of the cluster; nullopt = there is room. `user`: the calling
// user; unset = the caller is a service. The message states the quota, the value and the bound.
std::optional<Refusal> CheckRoom(const QueueRoom& room, const TrackedCounts& jobs,
                                 const std::optional<std::string>& user, absl::string_view cluster);
// The same for a job of the calling user that takes the memory of `wanted` in place of that of
// `old`; null = it is new. Services are not bounded.
std::optional<Refusal> CheckBytes(const QueueBounds& bounds, const TrackedCounts& jobs,
                                  const std::optional<std::string>& user, const TrackedJob* old,
                                  const TrackedJob& wanted);

// The refusal of one more pending job by the policy's MaxJobCount, besides `live_jobs`, the number
// of jobs that have not ended; nullopt = it is permitted. The message has Slurm's text and both
// numbers.
std::optional<Refusal> CheckMaxJobCount(const priority::Policy& policy, int64_t live_jobs);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_
