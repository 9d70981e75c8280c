// Keeps this replica's tracked queues up to date.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_

#include "absl/time/time.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::queue {

// Calls TrackedQueues::ReadChanges on a thread of its own: when it is woken, a few milliseconds
// apart, and once a period, in case a notification was lost. Thread-safe, but for Start and Stop.
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
  void Wake() { thread_.Wake(); }

  // A clock that was set calls it: a turn that is due by now comes at once.
  void CheckClock() { thread_.CheckClock(); }

  // Finishes what it reads, and reads no more.
  void Stop() { thread_.Stop(); }

 private:
  void ReadChanges();

  TrackedQueues* const queues_;
  const threads::Clock clock_;
  const absl::Duration period_;
  bool failed_ = false;  // The last time. Only the thread's.
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
