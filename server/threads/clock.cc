#include "server/threads/clock.h"

#include <ctime>

namespace priorityd::threads {

absl::Time RunningTime() {
  timespec time = {};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return absl::TimeFromTimespec(time);
}

}  // namespace priorityd::threads
