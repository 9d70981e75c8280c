// The changes of a tracked queue as the database keeps them.
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

// Writes changes that follow those `before`; returns the number of the last one. REQUIRES: the
// queue is locked.
absl::StatusOr<int64_t> StoreChanges(storage::JobStore& store, int32_t cluster_id,
                                     const storage::QueueChanges& before,
                                     const std::vector<JobChange>& changes);

// The same for a queue that nobody locked: writes nothing, and returns nullopt, if its last change
// is another one than `before`.
absl::StatusOr<std::optional<int64_t>> StoreChangesAfter(storage::JobStore& store,
                                                         int32_t cluster_id, int64_t before,
                                                         const std::vector<JobChange>& changes);

// Whether so many removals are kept for other replicas that StoreChanges forgets some.
bool KeepsManyRemovals(int64_t last_change, int64_t forgotten_change);

// Applies to `jobs` what is stored after the change `*known`, up to `last`.
absl::Status ApplyStored(storage::JobStore& store, int32_t cluster_id, int64_t last,
                         TrackedQueue* jobs, int64_t* known);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_
