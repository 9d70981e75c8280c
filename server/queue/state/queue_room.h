// How many jobs may be tracked, and who may add one.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/queue/state/submission.h"
#include "server/quotas/parts.h"

namespace priorityd::queue {

// How many jobs may be tracked, those included that ended and are still kept.
struct QueueBounds {
  size_t cluster_jobs = 2'000'000;
  size_t all_jobs = 5'000'000;  // Of all clusters together.
  // What users may hold of the former by their own upserts, and a cluster of the latter.
  quotas::Parts parts;
  InGroup in_group;  // For AllowGroups; null = it is not looked at.
};

// What a queue may grow to.
struct QueueRoom {
  QueueBounds bounds;
  size_t other_jobs = 0;            // Of other clusters.
  bool has_other_clusters = false;  // With jobs or without.
};

// The jobs of a queue.
struct TrackedCounts {
  size_t all = 0;
  size_t own = 0;  // Those of who asks, where that is a user.
};

// Whether one more job may be tracked of this cluster. `user`: who asks and speaks for this user
// alone; unset = a service. RESOURCE_EXHAUSTED names the quota, the value and the bound.
absl::Status CheckRoom(const QueueRoom& room, const TrackedCounts& jobs,
                       const std::optional<std::string>& user, absl::string_view cluster);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_ROOM_H_
