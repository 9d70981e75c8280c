#include "server/queue/replication/queue_follower.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "absl/time/clock.h"

namespace priorityd::queue {
namespace {

// Every change of another replica sends a notification; one read follows a burst of them.
constexpr absl::Duration kRest = absl::Milliseconds(5);

}  // namespace

QueueFollower::QueueFollower(TrackedQueues* queues, threads::Clock clock, absl::Duration period)
    : queues_(queues), clock_(std::move(clock)), period_(period), thread_(clock_) {}

QueueFollower::~QueueFollower() { Stop(); }

void QueueFollower::Start() {
  thread_.Start([this] {
    const absl::Time next = Turn();
    absl::SleepFor(kRest);
    return next;
  });
}

void QueueFollower::Wake() {
  {
    absl::MutexLock lock(&mutex_);
    all_ = true;
  }
  thread_.Wake();
}

void QueueFollower::Wake(const std::string& cluster) {
  {
    absl::MutexLock lock(&mutex_);
    clusters_.insert(cluster);
  }
  thread_.Wake();
}

absl::Time QueueFollower::Turn() {
  absl::btree_set<std::string> clusters;
  bool all;
  {
    absl::MutexLock lock(&mutex_);
    clusters.swap(clusters_);
    all = std::exchange(all_, false);
  }
  const absl::Time now = clock_();
  // A clock may be set back.
  if (all || now >= next_period_ || next_period_ - now > period_) {
    next_period_ = now + period_;
    Note(queues_->ReadChanges());
    return next_period_;
  }
  for (const std::string& cluster : clusters) Note(queues_->ReadChangesOf(cluster));
  return next_period_;
}

void QueueFollower::Note(const absl::Status& status) {
  // Logged once, not every period while the database is unreachable.
  if (!status.ok() && !failed_)
    spdlog::warn("tracked queues: reading changes failed: {}", status.ToString());
  failed_ = !status.ok();
}

}  // namespace priorityd::queue
