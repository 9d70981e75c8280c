// The tracked queues of all clusters, in memory and in the database.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_TRACKED_QUEUES_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_TRACKED_QUEUES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/replication/published_queue.h"
#include "server/queue/replication/queue_request.h"
#include "server/queue/replication/replicated_queue.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/site_factors.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/timed_mutex.h"
#include "storage/database/database.h"
#include "storage/jobs/job_store.h"

namespace priorityd::queue {

// The database is authoritative: it numbers the changes of a queue, and queues in memory that have
// applied the last change are equal on every replica. A queue is loaded by the first ReadChanges,
// or earlier on the first use; readers of a loaded queue wait neither for the database nor for
// writers. Thread-safe.
class TrackedQueues {
 public:
  // The longest time that a change waits for the queue's lock, here and in the database.
  static constexpr absl::Duration kLockPatience = absl::Seconds(5);

  // Both must outlive this. Jobs beyond `bounds` are refused one by one; stored jobs and those of
  // other replicas are kept regardless of the bounds.
  TrackedQueues(storage::Database* database, const recalculation::SnapshotRegistry* registry,
                const QueueBounds& bounds = {});

  // Changes a queue in one transaction; durable when it returns. `now`: see QueueUpdate. Errors of
  // SnapshotRegistry::Find and of the database, UNAVAILABLE (storage::IsLockTimeout) if the queue
  // stays locked for longer than `patience`. An invalid job never fails the other jobs.
  absl::StatusOr<QueueAnswer> Update(absl::string_view cluster, const QueueRequest& request,
                                     absl::Time now, absl::Duration patience = kLockPatience);

  // The queue as known to this replica, for the newest snapshot. Queries the database only if the
  // queue is not loaded. Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> State(absl::string_view cluster);

  // The last published state of the queue: never waits for a change. Loads the queue if necessary.
  // Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> PublishedState(absl::string_view cluster);

  // The last published states of the loaded queues, by cluster. Never queries the database.
  absl::btree_map<std::string, std::shared_ptr<const QueueState>> Loaded() {
    absl::btree_map<std::string, std::shared_ptr<const QueueState>> loaded;
    absl::MutexLock lock(&mutex_);
    for (const auto& [cluster, queue] : queues_) {
      if (auto state = queue->published.state(); state != nullptr)
        loaded[cluster] = std::move(state);
    }
    return loaded;
  }

  // The queue including other replicas' changes until now. Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> ReadState(absl::string_view cluster);

  // Of all clusters together, and of the cluster that has most. Never waits for a change.
  std::vector<quotas::Usage> usages() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `listener` with the cluster after each change of its queue, here or in another replica,
  // and after each new snapshot, before the change is answered. It must not wait, nor call this
  // object. There is one listener; null = none. The previous listener is not called after this
  // returns.
  void SetListener(std::function<void(const std::string& cluster)> listener)
      ABSL_LOCKS_EXCLUDED(listener_mutex_);

  // Sets the site factors that the site's service returned for jobs; see TakeSiteFactors. Durable
  // on return; writes nothing if no factor changes.
  absl::Status SetSiteFactors(absl::string_view cluster, absl::Span<const SiteFactor> factors);

  // Stores the state of the service; if answered_at is unset, the plugin's stored answered_at
  // stays.
  absl::Status SetSiteFactorSource(absl::string_view cluster, storage::SiteFactorSource source);

  // The state of the present policy's service as known to this replica; nullopt without a service.
  // Queries the database only if the queue is not loaded.
  absl::StatusOr<std::optional<storage::SiteFactorSource>> FindSiteFactorSource(
      absl::string_view cluster);

  // Call when the cluster was deleted or created again: the next use reads its queue again.
  void Forget(const std::string& cluster);

  // Updates the queues of all clusters with a snapshot: loads missing queues, reads other replicas'
  // changes and sets the newest snapshot. With a new snapshot, jobs' ages stop or continue by its
  // limits and, under INCR_ONLY, previous priorities rise; these changes are stored, by whichever
  // replica computes them first. A queue that stays locked for longer than a moment is left for the
  // next call.
  absl::Status ReadChanges();

  // The same for one cluster's queue.
  absl::Status ReadChangesOf(const std::string& cluster);

 private:
  struct Queue {
    Queue(TrackedQueues* queues, const std::string& cluster_name)
        : cluster(cluster_name),
          published(queues->registry_, cluster_name,
                    [queues, cluster_name] { queues->NotifyListener(cluster_name); }),
          replica(queues->database_, cluster_name) {}

    const std::string cluster;
    PublishedQueue published;
    // Held during a change of the queue, including waits for the database.
    threads::TimedMutex change;
    ReplicatedQueue replica ABSL_GUARDED_BY(change);
    // Held by the queue, including ended jobs; `jobs` is a part of jobs_.
    std::atomic<size_t> jobs = 0;
    std::atomic<size_t> bytes = 0;
    // The time of the next check for ended jobs that can be forgotten.
    absl::Time forget_at ABSL_GUARDED_BY(change) = absl::InfinitePast();
  };

  Queue& QueueOf(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  // The number of clusters with a queue.
  size_t CountQueues() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return queues_.size();
  }
  void CountRefused(const QueueAnswer& answer) ABSL_LOCKS_EXCLUDED(mutex_);
  // Loads the queue if necessary and publishes it for the newest snapshot.
  absl::Status Prepare(Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  absl::StatusOr<std::shared_ptr<const QueueState>> PreparedState(
      Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Changes the queue and publishes it; see QueueRequest::charge.
  absl::Status Change(Queue& queue, const storage::TransactionKind& kind,
                      ReplicatedQueue::Compute compute, usage::JobEndCharge* charge = nullptr)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  absl::Status ReadChanges(Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot,
                           const storage::QueueChanges& stored, int64_t incarnation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // ReadChanges if the queue can be locked within `patience`; returns whether it could.
  bool TryReadChanges(const storage::ClusterQueue& stored, int64_t incarnation,
                      absl::Duration patience, absl::Status* status);
  void Publish(Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  void NotifyListener(const std::string& cluster) ABSL_LOCKS_EXCLUDED(listener_mutex_);

  storage::Database* const database_;
  const recalculation::SnapshotRegistry* const registry_;
  const QueueBounds bounds_;
  std::atomic<size_t> jobs_ = 0;  // Of all clusters.

  mutable absl::Mutex mutex_;
  // Jobs beyond each quota, since the start.
  absl::flat_hash_map<std::string, uint64_t> refused_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::unique_ptr<Queue>> queues_ ABSL_GUARDED_BY(mutex_);

  absl::Mutex listener_mutex_;
  std::function<void(const std::string&)> listener_ ABSL_GUARDED_BY(listener_mutex_);
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_TRACKED_QUEUES_H_
