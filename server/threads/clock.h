// Clocks, injected into the objects that need time.
#ifndef PRIORITYD_SERVER_THREADS_CLOCK_H_
#define PRIORITYD_SERVER_THREADS_CLOCK_H_

#include <functional>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd::threads {

// Returns the present time. Thread-safe and fast: it is called with locks held.
using Clock = std::function<absl::Time()>;

// The times of a replica.
struct Clocks {
  // The time of all computation and planning; null = the database's clock, as in a running service.
  // A test may stop and set it.
  Clock site;
  // Measures leases, time limits and pauses. Monotonic, never stops, arbitrary epoch.
  Clock real;
  // This host's wall clock; compared with the database's.
  Clock host = absl::Now;
};

// The time since the host started, including suspension. For Clocks::real.
absl::Time RunningTime();

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_CLOCK_H_
