// The tracked queue of one cluster as readers see it.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_PUBLISHED_QUEUE_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_PUBLISHED_QUEUE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/queue/state/queue_state.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/jobs/job_store.h"

namespace priorityd::queue {

// Readers wait neither for the database nor for a change of the queue. Thread-safe.
class PublishedQueue {
 public:
  // `on_change`: called after each change of the state, on the thread that changed it; must neither
  // wait nor call this object. `registry` must outlive it.
  PublishedQueue(const recalculation::SnapshotRegistry* registry, std::string cluster,
                 std::function<void()> on_change)
      : registry_(registry), cluster_(std::move(cluster)), on_change_(std::move(on_change)) {}

  // Null if the queue is not loaded.
  std::shared_ptr<const QueueState> state() const ABSL_LOCKS_EXCLUDED(mutex_);
  storage::SiteFactorSource site_factors() const ABSL_LOCKS_EXCLUDED(mutex_);

  void Publish(std::shared_ptr<const QueueState> state, storage::SiteFactorSource site_factors)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void SetSiteFactors(storage::SiteFactorSource site_factors) ABSL_LOCKS_EXCLUDED(mutex_);

  // Unloads the queue.
  void Clear() ABSL_LOCKS_EXCLUDED(mutex_);

  // Publishes the published jobs for the registry's newest snapshot, if it is another one, and
  // returns the published state; null if the queue is not loaded. Does not wait for a change of the
  // queue; concurrent callers wait for one of them, who computes the state for all.
  std::shared_ptr<const QueueState> Rescale() ABSL_LOCKS_EXCLUDED(rescaling_, mutex_);

 private:
  const recalculation::SnapshotRegistry* const registry_;
  const std::string cluster_;
  const std::function<void()> on_change_;

  absl::Mutex rescaling_;
  mutable absl::Mutex mutex_;  // Never held for long.
  std::shared_ptr<const QueueState> state_ ABSL_GUARDED_BY(mutex_);
  storage::SiteFactorSource site_factors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_PUBLISHED_QUEUE_H_
