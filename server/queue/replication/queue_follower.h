// Keeps this replica's tracked queues up to date.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_

#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/queue/replication/tracked_queues.h"

namespace priorityd::queue {

// Calls TrackedQueues::CatchUp on a thread of its own: whenever it is woken, and
// once a period, since somebody may have missed to tell. Thread-safe.
class QueueFollower {
 public:
  // `queues` must outlive it.
  explicit QueueFollower(TrackedQueues* queues, absl::Duration period = absl::Seconds(1));
  ~QueueFollower();
  QueueFollower(const QueueFollower&) = delete;
  QueueFollower& operator=(const QueueFollower&) = delete;

  // There may be something new. Returns at once.
  void Wake();

 private:
  void Run();
  // Waits until it is time again; false when the object is to go.
  bool Await();

  TrackedQueues* const queues_;
  const absl::Duration period_;

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_FOLLOWER_H_
