// Keeps this replica's tracked queues up to date with other replicas' changes.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::queue {

// Calls TrackedQueues::ReadChanges on its own thread: after Wake, at intervals of a few
// milliseconds, and once a period to cover lost notifications. Thread-safe, except Start and Stop.
class QueueFollower {
 public:
  // `queues` must outlive it.
  QueueFollower(TrackedQueues* queues, threads::Clock clock,
                absl::Duration period = absl::Seconds(1));
  // Stops.
  ~QueueFollower();
  QueueFollower(const QueueFollower&) = delete;
  QueueFollower& operator=(const QueueFollower&) = delete;

  // Call at most once.
  void Start();

  // Call when queues may have changed: after a notification, or with a new snapshot. Does not wait.
  void Wake() ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for one cluster: only its queue is read.
  void Wake(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);

  // Call after setting the clock: a turn that is due runs at once.
  void CheckClock() { thread_.CheckClock(); }

  // Finishes the running turn and runs no further one.
  void Stop() { thread_.Stop(); }

 private:
  // Reads the clusters of the wakes, or all clusters once a period; returns the end of the period.
  absl::Time Turn() ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const absl::Status& status);

  TrackedQueues* const queues_;
  const threads::Clock clock_;
  const absl::Duration period_;
  // Used by the thread only.
  bool failed_ = false;  // In the last turn.
  absl::Time next_period_ = absl::InfinitePast();

  absl::Mutex mutex_;
  bool all_ ABSL_GUARDED_BY(mutex_) = false;
  absl::btree_set<std::string> clusters_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
