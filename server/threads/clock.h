// The clocks that objects are built with.
#ifndef PRIORITYD_SERVER_THREADS_CLOCK_H_
#define PRIORITYD_SERVER_THREADS_CLOCK_H_

#include <functional>

#include "absl/time/time.h"

namespace priorityd::threads {

// The present time; absl::Now in a running service. Thread-safe, and quick: it is
// called with locks held.
using Clock = std::function<absl::Time()>;

// The two times of a replica, one and the same in a running service.
struct Clocks {
  Clock site;  // What the service computes with and plans by. A test may stop and set it.
  Clock real;  // What leases, time limits and pauses are measured by. Always runs.
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_CLOCK_H_
