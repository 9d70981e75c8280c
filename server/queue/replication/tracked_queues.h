// The tracked queues of all clusters: in memory, and in the database.
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
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/snapshot.h"
#include "server/queue/replication/queue_request.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/site_factors.h"
#include "server/queue/state/tracked_queue.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/timed_mutex.h"
#include "storage/database.h"
#include "storage/job_store.h"

namespace priorityd::queue {

// The database is the truth: changes of a queue are numbered there, one after
// another, and a queue in memory that has seen the last one is the same on every
// replica. A queue is loaded at the first ReadChanges, or when it is asked for before; who reads
// one that is loaded never waits for the database, nor for who changes it. Thread-safe.
class TrackedQueues {
 public:
  // A queue is changed by one at a time, here and in the database.
  static constexpr absl::Duration kLockPatience = absl::Seconds(5);

  // Both must outlive this. A job that would be more than `bounds` is refused by itself; what is
  // stored already, and what other replicas store, is kept however much it is.
  TrackedQueues(storage::Database* database, const recalculation::SnapshotRegistry* registry,
                const QueueBounds& bounds = {});

  // Changes a queue in one transaction; durable when it returns. `now`: see
  // QueueUpdate. Errors of SnapshotRegistry::Find and of the database, UNAVAILABLE
  // (storage::IsLockTimeout) where others hold the queue for longer than `patience`; a single job
  // never fails the others.
  absl::StatusOr<QueueAnswer> Update(absl::string_view cluster, const QueueRequest& request,
                                     absl::Time now, absl::Duration patience = kLockPatience);

  // The queue as far as this replica knows it, for the newest snapshot. Asks the
  // database only when the queue is not loaded yet. Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> State(absl::string_view cluster);

  // The queue as it was published last: never waits for a change of it. Loads it if it
  // is not yet. Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> PublishedState(absl::string_view cluster);

  // The queues that are loaded, as they were published last, by cluster: never asks the database.
  absl::btree_map<std::string, std::shared_ptr<const QueueState>> Loaded() {
    absl::btree_map<std::string, std::shared_ptr<const QueueState>> loaded;
    absl::MutexLock lock(&mutex_);
    for (const auto& [cluster, queue] : queues_) {
      if (auto state = Published(*queue); state != nullptr) loaded[cluster] = std::move(state);
    }
    return loaded;
  }

  // The queue with what other replicas changed until now. Errors as above.
  absl::StatusOr<std::shared_ptr<const QueueState>> ReadState(absl::string_view cluster);

  // Of all clusters together; refused are those too that were more than their cluster or their
  // user may have. Waits for nobody.
  quotas::Usage usage() const {
    return {quotas::kAllTrackedJobs, jobs_, bounds_.all_jobs, refused_};
  }

  // Calls `listener` with the cluster after its queue has changed, here or in another
  // replica, or got a new snapshot: for each, before the change is answered. It
  // must not wait, nor call this. One at a time; null = none. When this returns, the
  // one before is not called any more.
  void SetListener(std::function<void(const std::string& cluster)> listener)
      ABSL_LOCKS_EXCLUDED(listener_mutex_);

  // Sets the site factors that the site's service gave jobs; see TakeSiteFactors. Durable
  // when it returns; writes nothing where none is new.
  absl::Status SetSiteFactors(absl::string_view cluster, absl::Span<const SiteFactor> factors);

  // Stores how the service answered; an answered_at that is unset stays as it was for
  // that plugin.
  absl::Status SetSiteFactorSource(absl::string_view cluster, storage::SiteFactorSource source);

  // How the service of the present policy answered, as far as this replica knows; nullopt
  // if there is none. Asks the database only when the queue is not loaded yet.
  absl::StatusOr<std::optional<storage::SiteFactorSource>> FindSiteFactorSource(
      absl::string_view cluster);

  // The cluster is no more, or another one has its name: its queue is read anew when one is asked
  // for.
  void Forget(const std::string& cluster) {
    Queue& queue = QueueOf(cluster);
    threads::TimedMutexLock lock(&queue.change);
    jobs_ -= std::exchange(queue.counted, 0);
    queue.jobs = nullptr;
    queue.known = queue.forgotten = queue.recalculated = 0;
    queue.cluster_id = 0;
    {
      absl::MutexLock known(&queue.mutex);
      queue.state = nullptr;
      queue.site_factors = {};
    }
    TellListener(queue);
  }

  // Brings the queues of all clusters that have a snapshot up to date: loads those
  // that are not, reads what other replicas changed, sets the newest snapshot. With a new one
  // jobs' ages stop and go on by its limits and, under INCR_ONLY, previous priorities rise; that
  // is stored, and it does not matter which replica does it. A queue that is being changed, or
  // locked, for longer than a moment is left for the next call.
  absl::Status ReadChanges();

  // The same of one cluster's queue.
  absl::Status ReadChangesOf(const std::string& cluster);

 private:
  struct Queue {
    explicit Queue(std::string cluster_name) : cluster(std::move(cluster_name)) {}

    const std::string cluster;
    // Held during a change of the queue, also while that waits for the database. What is
    // published is beside it.
    threads::TimedMutex change;
    std::unique_ptr<TrackedQueue> jobs ABSL_GUARDED_BY(change);
    int64_t known ABSL_GUARDED_BY(change) = 0;      // The last change applied.
    int64_t forgotten ABSL_GUARDED_BY(change) = 0;  // See storage::QueueChanges.
    int32_t cluster_id ABSL_GUARDED_BY(change) = 0;
    size_t counted ABSL_GUARDED_BY(change) = 0;  // In jobs_.
    // Of the database that it was read from; see storage::Transaction.
    int64_t incarnation ABSL_GUARDED_BY(change) = 0;
    // Of the last snapshot that what moves with one has.
    int64_t recalculated ABSL_GUARDED_BY(change) = 0;
    // When to look again for ended jobs that can be forgotten.
    absl::Time forget_at ABSL_GUARDED_BY(change) = absl::InfinitePast();

    absl::Mutex rescaling;  // Held by the one reader that rescales for all.
    absl::Mutex mutex;      // Never held for long.
    std::shared_ptr<const QueueState> state ABSL_GUARDED_BY(mutex);
    storage::SiteFactorSource site_factors ABSL_GUARDED_BY(mutex);
  };

  Queue& QueueOf(const std::string& cluster);
  // Of how many clusters there are queues.
  size_t CountQueues() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return queues_.size();
  }
  void CountRefused(const QueueAnswer& answer) {
    for (const UpdateResult& result : answer.upserts) refused_ += result.reason == kFullReason;
  }
  // Makes the queue one for `snapshot`, loading it if need be.
  absl::Status Prepare(Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Applies what the database has after the last change known.
  absl::Status ApplyChanges(Queue& queue, storage::Transaction& transaction, int32_t cluster_id,
                            const storage::QueueChanges& changes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  absl::Status ReadChanges(Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot,
                           const storage::QueueChanges& stored, int64_t incarnation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // ReadChanges of a queue that can be had within `patience`; whether it could.
  bool TryReadChanges(const storage::ClusterQueue& stored, int64_t incarnation,
                      absl::Duration patience, absl::Status* status);
  // Whether nothing was changed since; `stored` is of that incarnation of the database.
  static bool IsKnown(Queue& queue, const storage::QueueChanges& stored, int64_t incarnation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Once for each snapshot: has the jobs' accruals and, under INCR_ONLY, previous priorities move.
  absl::Status FollowSnapshot(Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  using Compute = absl::FunctionRef<std::vector<JobChange>(const TrackedQueue&)>;
  // Computes changes of the queue as it is in the database, stores, applies and publishes them.
  absl::Status Change(Queue& queue, const storage::TransactionKind& kind, Compute compute)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Change by one statement, which holds if nobody else changed the queue since; whether it did.
  // Of errors only that of a lock: ChangeLocked meets the others again.
  absl::StatusOr<bool> ChangeKnown(Queue& queue, const storage::TransactionKind& kind,
                                   Compute compute) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Change in a transaction that locks the queue and reads what others changed.
  absl::Status ChangeLocked(Queue& queue, const storage::TransactionKind& kind, Compute compute)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // ApplyChanges in a transaction of its own.
  absl::Status ReadAndApply(Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  void Publish(Queue& queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  void TellListener(const Queue& queue) ABSL_LOCKS_EXCLUDED(listener_mutex_);
  // Null if the queue is not loaded.
  static std::shared_ptr<const QueueState> Published(Queue& queue);
  absl::StatusOr<std::shared_ptr<const QueueState>> PreparedState(
      Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue.change);
  // Publishes what is published for the newest snapshot, beside a change of the queue. Null if
  // it was forgotten meanwhile.
  std::shared_ptr<const QueueState> Rescale(Queue& queue);

  storage::Database* const database_;
  const recalculation::SnapshotRegistry* const registry_;
  const QueueBounds bounds_;
  std::atomic<size_t> jobs_ = 0;       // Of all clusters.
  std::atomic<uint64_t> refused_ = 0;  // For want of room, since the start.

  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<Queue>> queues_ ABSL_GUARDED_BY(mutex_);

  absl::Mutex listener_mutex_;
  std::function<void(const std::string&)> listener_ ABSL_GUARDED_BY(listener_mutex_);
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_TRACKED_QUEUES_H_
