#include "server/queue/replication/queue_follower.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "absl/time/clock.h"

namespace priorityd::queue {
namespace {

// Every change notifies, also this replica's own: of a burst of them not each is followed.
constexpr absl::Duration kRest = absl::Milliseconds(5);

}  // namespace

QueueFollower::QueueFollower(TrackedQueues* queues, threads::Clock clock, absl::Duration period)
    : queues_(queues), clock_(std::move(clock)), period_(period), thread_(clock_) {}

QueueFollower::~QueueFollower() { Stop(); }

void QueueFollower::Start() {
  thread_.Start([this] {
    ReadChanges();
    absl::SleepFor(kRest);
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
