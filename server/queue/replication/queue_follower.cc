#include "server/queue/replication/queue_follower.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace priorityd::queue {

QueueFollower::QueueFollower(TrackedQueues* queues, threads::Clock clock, absl::Duration period)
    : queues_(queues), clock_(std::move(clock)), period_(period), thread_(clock_) {}

QueueFollower::~QueueFollower() { Stop(); }

void QueueFollower::Start() {
  thread_.Start([this] {
    ReadChanges();
    return clock_() + period_;
  });
}

void QueueFollower::ReadChanges() {
  const absl::Status status = queues_->ReadChanges();
  // Once, not every period while the database is gone.
  if (!status.ok() && !failed_) spdlog::warn("tracked queues: {}", status.ToString());
  failed_ = !status.ok();
}

}  // namespace priorityd::queue
