#include "server/threads/clock.h"

#include <gtest/gtest.h>

namespace priorityd::threads {
namespace {

TEST(ClockTest, RunningTimeContinuesAsTheRealOneDoes) {
  const absl::Time begin = RunningTime();
  const absl::Time until = absl::Now() + absl::Milliseconds(20);
  while (absl::Now() < until) {
  }
  EXPECT_GE(RunningTime() - begin, absl::Milliseconds(19));
  EXPECT_LT(RunningTime() - begin, absl::Minutes(1));
}

}  // namespace
}  // namespace priorityd::threads
