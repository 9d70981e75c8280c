// The database's clock, without asking it each time.
#ifndef PRIORITYD_SERVER_THREADS_DATABASE_CLOCK_H_
#define PRIORITYD_SERVER_THREADS_DATABASE_CLOCK_H_

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"

namespace priorityd::threads {

// What the database's clock says now, by how far it was from a clock that always runs when
// it was read last. A reading lies somewhere between question and answer; readings together
// tell it more exactly than the quickest of them. Thread-safe.
class DatabaseClock {
 public:
  // `real`, `host`: see Clocks. Until the first reading it is the host's clock.
  DatabaseClock(Clock real, Clock host) : real_(std::move(real)), host_(std::move(host)) {}

  // The database's clock said `time`, between `sent` and now by the real clock.
  void Note(absl::Time sent, absl::Time time);

  // Goes back only where the database's clock was set back.
  absl::Time Now() const;

  // How far the host's clock is ahead of the database's at least; less than 0: behind.
  absl::Duration HostIsAhead() const;

 private:
  // Where the database's clock may be ahead of the real clock.
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
