// The stored log of a tracked queue's changes.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/queue/state/tracked_queue.h"
#include "storage/database/database.h"
#include "storage/jobs/job_store.h"

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

// A queue in the database.
struct StoredLog {
  int32_t cluster_id = 0;
  int64_t last = 0;         // The number of its last change.
  int64_t incarnation = 0;  // Of the database; see storage::Transaction.
};

// Whether LoadStored reads it sooner than ApplyStored.
bool IsLong(const StoredLog& log);

// Applies the stored jobs to `jobs`, which is empty; reads them over several connections, in
// parallel. They are not of one time: a job that changed after `log.last` can be there, or lacks,
// or is of before the change. The state is exact when ApplyStored has applied the changes after
// `log.last`. Errors of the database; UNAVAILABLE if another incarnation answers.
absl::Status LoadStored(storage::Database& database, const StoredLog& log, TrackedQueue* jobs);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_CHANGE_LOG_H_
