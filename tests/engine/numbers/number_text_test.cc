#include "engine/numbers/number_text.h"

#include <gtest/gtest.h>

namespace priorityd::numbers {
namespace {

TEST(NumberTextTest, AFractionHasSixSignificantDigits) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(0.25), "0.25");
  EXPECT_EQ(NumberText(1.0 / 3), "0.333333");
  EXPECT_EQ(NumberText(36'971.5044), "36971.5");
  EXPECT_EQ(NumberText(0.0000015), "1.5e-06");
}

TEST(NumberTextTest, EveryDigitBeforeThePointIsThere) {
  EXPECT_EQ(NumberText(1'800'000), "1800000");
  EXPECT_EQ(NumberText(123'456'789), "123456789");
  EXPECT_EQ(NumberText(-1'234'567.8), "-1234568");
  EXPECT_EQ(NumberText(999'999.4), "999999");
  EXPECT_EQ(NumberText(999'999.7), "1000000");
  EXPECT_EQ(NumberText(9'007'199'254'740'991), "9007199254740991");
  EXPECT_EQ(NumberText(1.5e20), "1.5e+20");
}

TEST(NumberTextTest, TheNumberOfDigitsCanBeMore) {
  EXPECT_EQ(NumberText(3'226'038.968, 9), "3226038.97");
  EXPECT_EQ(NumberText(98'765'432'101, 9), "98765432101");
}

}  // namespace
}  // namespace priorityd::numbers
