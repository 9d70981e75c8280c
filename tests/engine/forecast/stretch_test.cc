#include "engine/forecast/stretch.h"

#include <vector>

#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

Row RowWithWork(double work) {
  Row row{};
  row[kQueueExpectedWork] = static_cast<float>(work);
  return row;
}

std::vector<Example> ExamplesUpTo(int hours) {
  std::vector<Example> examples;
  for (int hour = hours; hour >= 0; --hour) examples.push_back({RowWithWork(hour * 3600.0), 60});
  return examples;
}

TEST(StretchTest, WithoutExamplesNothingIsStretched) {
  EXPECT_EQ(Stretch().Of(RowWithWork(1e9), 1e9), 1);
  EXPECT_EQ(Stretch(std::vector<Example>()).Of(RowWithWork(1e9), 1e9), 1);
}

// The examples have 0 to 100 hours of work: 95 is the .95 quantile.
TEST(StretchTest, WaitsGrowInProportionToWorkBeyondTheUsual) {
  const Stretch stretch(ExamplesUpTo(100));
  EXPECT_EQ(stretch.Of(RowWithWork(40 * 3600), 0), 1);
  EXPECT_EQ(stretch.Of(RowWithWork(95 * 3600), 0), 1);
  EXPECT_DOUBLE_EQ(stretch.Of(RowWithWork(190 * 3600), 0), 2);
}

TEST(StretchTest, HalfOfTheTimeUntilAJobCanStartIsWorkAhead) {
  const Stretch stretch(ExamplesUpTo(100));
  EXPECT_EQ(stretch.Of(RowWithWork(0), 100 * 3600), 1);
  EXPECT_DOUBLE_EQ(stretch.Of(RowWithWork(95 * 3600), 190 * 3600), 2);
}

TEST(StretchTest, AnHourOfWorkIsUsualEverywhere) {
  const Stretch stretch(ExamplesUpTo(0));
  EXPECT_EQ(stretch.Of(RowWithWork(3600), 0), 1);
  EXPECT_DOUBLE_EQ(stretch.Of(RowWithWork(3 * 3600), 0), 3);
}

TEST(StretchTest, Q90GrowsByAllOfItAndLowerQuantilesByLess) {
  const double q = ToScale(1000);
  EXPECT_NEAR(FromScale(Stretched(q, .9, 4)), 4000, 1e-6);
  EXPECT_NEAR(FromScale(Stretched(q, .99, 4)), 4000, 1e-6);
  EXPECT_NEAR(FromScale(Stretched(q, .45, 4)), 2000, 1e-6) << "the square root";
  EXPECT_NEAR(FromScale(Stretched(q, .1, 512)), 2000, 1e-6) << "the ninth root";
  EXPECT_EQ(Stretched(q, .9, 1), q);
  EXPECT_EQ(Stretched(0, .9, 4), 0);
}

}  // namespace
}  // namespace priorityd::forecast
