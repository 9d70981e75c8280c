// The host's clock as this process sees it, stepped by a test.
#ifndef PRIORITYD_TESTS_STEPPED_CLOCK_H_
#define PRIORITYD_TESTS_STEPPED_CLOCK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Clocks that only run are not touched, nor are waits that have begun.
void StepClock(int64_t nanoseconds);

#ifdef __cplusplus
}

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd {

// Steps it until the end of the scope.
class SteppedClock {
 public:
  SteppedClock() = default;
  // Waits until Abseil's clock, which looks at the host's now and then, has followed.
  ~SteppedClock() {
    Step(-stepped_);
    const auto behind = [] {
      return absl::FromChrono(std::chrono::system_clock::now()) - absl::Now();
    };
    while (absl::AbsDuration(behind()) > absl::Seconds(1)) absl::SleepFor(absl::Milliseconds(1));
  }
  SteppedClock(const SteppedClock&) = delete;
  SteppedClock& operator=(const SteppedClock&) = delete;

  void Step(absl::Duration duration) {
    stepped_ += duration;
    StepClock(absl::ToInt64Nanoseconds(duration));
  }

 private:
  absl::Duration stepped_;
};

}  // namespace priorityd
#endif

#endif  // PRIORITYD_TESTS_STEPPED_CLOCK_H_
