#include "engine/explanation/bisection.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace priorityd::explanation {
namespace {

TEST(FirstThatHoldsNear, IsTheFirstWhateverTheGuess) {
  for (int64_t first = 1; first <= 40; ++first) {
    for (int64_t guess = -3; guess <= 45; ++guess) {
      const auto holds = [first](int64_t n) { return n >= first; };
      ASSERT_EQ(FirstThatHoldsNear(guess, 0, 40, holds), first) << guess;
    }
  }
}

TEST(FirstThatHoldsNear, AsksFewTimesNearTheGuess) {
  static constexpr int64_t kFirst = 123'456'789;
  const auto asked = [](int64_t guess) {
    int times = 0;
    const auto holds = [&times](int64_t n) {
      ++times;
      return n >= kFirst;
    };
    EXPECT_EQ(FirstThatHoldsNear(guess, 0, int64_t{1} << 32, holds), kFirst);
    return times;
  };
  EXPECT_LE(asked(kFirst), 2);
  EXPECT_LE(asked(kFirst + 5), 6);
  EXPECT_LE(asked(kFirst - 5), 6);
  EXPECT_LE(asked(1), 64);
}

}  // namespace
}  // namespace priorityd::explanation
