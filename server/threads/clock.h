// The clocks that objects are built with.
#ifndef PRIORITYD_SERVER_THREADS_CLOCK_H_
#define PRIORITYD_SERVER_THREADS_CLOCK_H_

#include <functional>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd::threads {

// The present time. Thread-safe, and quick: it is called with locks held.
using Clock = std::function<absl::Time()>;

// The times of a replica.
struct Clocks {
  // What the service computes with and plans by: the database's in a running service, which
  // null stands for. A test may stop and set it.
  Clock site;
  // What leases, time limits and pauses are measured by. Always runs and is never set, and
  // may count from anywhere.
  Clock real;
  // What this host takes for the present time; compared with the database's.
  Clock host = absl::Now;
};

// The time since the host was started, also while it was suspended. For Clocks::real.
absl::Time RunningTime();

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_CLOCK_H_
