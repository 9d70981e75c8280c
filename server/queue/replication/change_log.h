// The stored log of a tracked queue's changes.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/queue/state/tracked_queue.h"
#include "storage/job_store.h"

namespace priorityd::queue {

// Appends changes after `before`; returns the number of the last one. REQUIRES: the queue is
// locked.
absl::StatusOr<int64_t> StoreChanges(storage::JobStore& store, int32_t cluster_id,
                                     const storage::QueueChanges& before,
                                     const std::vector<JobChange>& changes);

// The same for a queue that is not locked: if its last change is not `before`, writes nothing and
// returns nullopt.
absl::StatusOr<std::optional<int64_t>> StoreChangesAfter(storage::JobStore& store,
                                                         int32_t cluster_id, int64_t before,
                                                         const std::vector<JobChange>& changes);

// Whether StoreChanges drops removals, because too many are kept for other replicas.
bool KeepsManyRemovals(int64_t last_change, int64_t forgotten_change);

// Applies to `jobs` the stored changes after `*known`, up to `last`.
absl::Status ApplyStored(storage::JobStore& store, int32_t cluster_id, int64_t last,
                         TrackedQueue* jobs, int64_t* known);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_
