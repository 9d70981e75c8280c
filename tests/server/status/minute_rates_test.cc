#include "server/status/minute_rates.h"

#include <gtest/gtest.h>

namespace priorityd::status {
namespace {

TEST(MinuteRatesTest, CountTheLastMinute) {
  MinuteRates<2> rates;
  EXPECT_EQ(rates.PerSecond()[0], 0);
  const absl::Time start = absl::UnixEpoch();
  rates.Note(start, {100, 0});
  EXPECT_EQ(rates.PerSecond()[0], 0);
  rates.Note(start + absl::Seconds(10), {150, 1});
  EXPECT_EQ(rates.PerSecond()[0], 5);
  EXPECT_EQ(rates.PerSecond()[1], 0.1);
  // A minute at 5, then one at 1 a second: the first is forgotten.
  for (int i = 2; i <= 7; ++i) rates.Note(start + absl::Seconds(10 * i), {100 + 50 * i, 1});
  EXPECT_EQ(rates.PerSecond()[0], 5);
  for (int i = 8; i <= 13; ++i) rates.Note(start + absl::Seconds(10 * i), {450 + 10 * (i - 7), 1});
  EXPECT_EQ(rates.PerSecond()[0], 1);
  EXPECT_EQ(rates.PerSecond()[1], 0);
}

}  // namespace
}  // namespace priorityd::status
