// Keeps this replica's tracked queues up to date.
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

// Calls TrackedQueues::ReadChanges on a thread of its own: whenever it is woken, and
// once a period, in case a notification was lost. Thread-safe, but for Start and Stop.
class QueueFollower {
 public:
  // `queues` must outlive it.
  QueueFollower(TrackedQueues* queues, threads::Clock clock,
                absl::Duration period = absl::Seconds(1));
  // Stops.
  ~QueueFollower();
  QueueFollower(const QueueFollower&) = delete;
  QueueFollower& operator=(const QueueFollower&) = delete;

  // Call once at most.
  void Start();

  // Something may have changed: the replicas were notified, or this one has another
  // snapshot. Returns at once.
  void Wake() ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, of one cluster: only that is read.
  void Wake(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);

  // A clock that was set calls it: a turn that is due by now comes at once.
  void CheckClock() { thread_.CheckClock(); }

  // Finishes what it reads, and reads no more.
  void Stop() { thread_.Stop(); }

 private:
  // Reads what it was woken for, or all of it once a period; returns when that ends.
  absl::Time Turn() ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const absl::Status& status);

  TrackedQueues* const queues_;
  const threads::Clock clock_;
  const absl::Duration period_;
  // Only the thread's.
  bool failed_ = false;  // The last time.
  absl::Time next_period_ = absl::InfinitePast();

  absl::Mutex mutex_;
  bool all_ ABSL_GUARDED_BY(mutex_) = false;
  absl::btree_set<std::string> clusters_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
