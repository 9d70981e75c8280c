// The database's clock, without a query for each reading.
#ifndef PRIORITYD_SERVER_THREADS_DATABASE_CLOCK_H_
#define PRIORITYD_SERVER_THREADS_DATABASE_CLOCK_H_

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::threads {

// Estimates the database's clock from its offset to a monotonic clock. Each reading bounds the
// offset by the times of its query and answer; several readings together bound it more closely than
// the fastest one. Thread-safe.
class DatabaseClock {
 public:
  // `real`, `host`: see Clocks. Before the first reading, Now is the host's clock.
  DatabaseClock(Clock real, Clock host) : real_(std::move(real)), host_(std::move(host)) {}

  // Adds a reading: the database's clock was `time` at some moment between `sent` and now by the
  // real clock.
  void Note(absl::Time sent, absl::Time time);

  // Goes back only if the database's clock was set back.
  absl::Time Now() const;

  // Lower bound by which the host's clock is ahead of the database's; negative: behind.
  absl::Duration HostIsAhead() const;

 private:
  // Bounds of the database's clock minus the real clock.
  struct Range {
    absl::Duration low, high;
  };

  const Clock real_;
  const Clock host_;
  mutable absl::Mutex mutex_;
  bool was_read_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time read_at_ ABSL_GUARDED_BY(mutex_);  // By the real clock.
  Range range_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_DATABASE_CLOCK_H_
