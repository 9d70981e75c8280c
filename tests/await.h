// Waiting for what other threads and processes do.
#ifndef PRIORITYD_TESTS_AWAIT_H_
#define PRIORITYD_TESTS_AWAIT_H_

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd {

// Asks again and again until `condition` holds; false if it does not within `patience`.
template <typename Condition>
bool Await(Condition condition, absl::Duration patience = absl::Minutes(5)) {
  for (const absl::Time deadline = absl::Now() + patience; !condition();) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return true;
}

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_AWAIT_H_
