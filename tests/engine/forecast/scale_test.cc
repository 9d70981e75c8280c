#include "engine/forecast/scale.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

TEST(ScaleTest, LogAndExpAreThoseOfTheCLibraryWithinTheirRounding) {
  for (double x = 1e-12; x < 1e12; x *= 1.37) {
    EXPECT_NEAR(Log(x), std::log(x), 1e-13 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  for (double y = -600; y < 600; y += 0.77) {
    EXPECT_NEAR(Exp(y) / std::exp(y), 1, 1e-13) << y;
  }
}

TEST(ScaleTest, AWaitIsTheSameAfterTheScaleAndBack) {
  EXPECT_EQ(ToScale(0), 0);
  EXPECT_NEAR(ToScale(60), std::log(2.0), 1e-15);
  for (double wait = 1; wait < kLongestWait; wait *= 3.1) {
    EXPECT_NEAR(FromScale(ToScale(wait)) / wait, 1, 1e-11) << wait;
  }
}

TEST(ScaleTest, ValuesOutOfRangeCountAsTheEnds) {
  EXPECT_EQ(ToScale(-5), 0);
  EXPECT_EQ(ToScale(1e300), ToScale(kLongestWait));
  EXPECT_EQ(FromScale(-1), 0);
  EXPECT_EQ(FromScale(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(FromScale(1e9), kLongestWait);
}

TEST(ScaleTest, AFixedValueIsWithinAMillionth) {
  for (double y = 0; y < 18; y += 0.0137) EXPECT_NEAR(FromFixed(ToFixed(y)), y, 0.5e-6);
}

}  // namespace
}  // namespace priorityd::forecast
