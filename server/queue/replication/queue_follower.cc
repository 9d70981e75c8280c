#include "server/queue/replication/queue_follower.h"

#include <spdlog/spdlog.h>

#include "absl/time/clock.h"

namespace priorityd::queue {

QueueFollower::QueueFollower(TrackedQueues* queues, absl::Duration period)
    : queues_(queues), period_(period), thread_([this] { Run(); }) {}

QueueFollower::~QueueFollower() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  thread_.join();
}

void QueueFollower::Wake() {
  absl::MutexLock lock(&mutex_);
  woken_ = true;
  changed_.SignalAll();
}

void QueueFollower::Run() {
  bool failed = false;
  while (Await()) {
    const absl::Status status = queues_->CatchUp();
    // Once, not every period while the database is gone.
    if (!status.ok() && !failed) spdlog::warn("tracked queues: {}", status.ToString());
    failed = !status.ok();
  }
}

bool QueueFollower::Await() {
  const absl::Time deadline = absl::Now() + period_;
  absl::MutexLock lock(&mutex_);
  while (!stops_ && !woken_) {
    if (changed_.WaitWithDeadline(&mutex_, deadline)) break;
  }
  woken_ = false;
  return !stops_;
}

}  // namespace priorityd::queue
