#include "server/metrics/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(FamiliesTest, ADistributionBecomesCumulativeBuckets) {
  measures::Distribution distribution({1, 10});
  for (const double value : {0.5, 2.0, 3.0, 100.0}) distribution.Add(value);
  Families families;
  families.Histogram("h", "help").Add(distribution.Read(), {{"l", "v"}});
  EXPECT_THAT(
      SeriesOf(std::move(families)),
      ElementsAre(Pair("h_bucket{l=\"v\",le=\"+Inf\"}", 4), Pair("h_bucket{l=\"v\",le=\"1\"}", 1),
                  Pair("h_bucket{l=\"v\",le=\"10\"}", 3), Pair("h_count{l=\"v\"}", 4),
                  Pair("h_sum{l=\"v\"}", 105.5)));
}

TEST(FamiliesTest, AFamilyWithoutSeriesIsLeftOut) {
  Families families;
  families.Gauge("none", "help");
  families.Counter("one", "help").Add(1);
  const auto taken = std::move(families).Take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken.front().name, "one");
}

}  // namespace
}  // namespace priorityd::metrics
