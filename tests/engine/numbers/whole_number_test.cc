#include "engine/numbers/whole_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace priorityd::numbers {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(WholeNumberTest, TheWholePartIsCutTowardsZero) {
  EXPECT_EQ(WholePart(2.9), 2);
  EXPECT_EQ(WholePart(-2.9), -2);
  EXPECT_EQ(WholePart(9007199254740994.0), 9007199254740994);
}

TEST(WholeNumberTest, WhatIsBeyond64BitsIsTheNearestThatTheyHold) {
  EXPECT_EQ(WholePart(std::ldexp(1, 63)), kMost);
  EXPECT_EQ(WholePart(std::nextafter(std::ldexp(1, 63), 0)), 9223372036854774784);
  EXPECT_EQ(WholePart(3e19), kMost);
  EXPECT_EQ(WholePart(HUGE_VAL), kMost);
  EXPECT_EQ(WholePart(-std::ldexp(1, 63)), kLeast);
  EXPECT_EQ(WholePart(-3e19), kLeast);
  EXPECT_EQ(RoundedWhole(1e300), kMost);
}

TEST(WholeNumberTest, HalvesAreRoundedAwayFromZero) {
  EXPECT_EQ(RoundedWhole(2.5), 3);
  EXPECT_EQ(RoundedWhole(-2.5), -3);
}

TEST(WholeNumberTest, TextHasAllDigitsHoweverManyThereAre) {
  EXPECT_EQ(WholeText(3e19), "30000000000000000000");
  EXPECT_EQ(WholeText(18446744073709551616.0), "18446744073709551616");
  EXPECT_EQ(WholeText(1234.9), "1234");
  EXPECT_EQ(WholeText(-0.5), "0");
}

}  // namespace
}  // namespace priorityd::numbers
