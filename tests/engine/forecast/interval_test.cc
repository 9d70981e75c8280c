#include "engine/forecast/interval.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

using ::testing::ElementsAre;

TEST(IntervalTest, TheScoredLevelsAreAlwaysThere) {
  EXPECT_THAT(WithScoredLevels({.95, .5, .3, .95}), ElementsAre(.1, .25, .3, .5, .75, .9, .95));
}

TEST(IntervalTest, ACorrectionThatCrossesKeepsTheEndsThatItLearned) {
  std::vector<double> quantiles = {1, 1.1, 2, 2.9, 3};
  Correct(kLevels, {.5, -.5}, 0, &quantiles);
  EXPECT_THAT(quantiles, ElementsAre(1.5, 1.5, 2, 2.5, 2.5));
}

TEST(IntervalTest, NoEndCrossesTheMedianOrTheLeast) {
  std::vector<double> quantiles = {1, 1.5, 2, 2.5, 3};
  Correct(kLevels, {1.5, -1.5}, 0, &quantiles);
  EXPECT_THAT(quantiles, ElementsAre(1.5, 1.75, 2, 2, 2)) << "from below half of the way at most";
  quantiles = {1, 1.5, 2, 2.5, 3};
  Correct(kLevels, {}, 2.2, &quantiles);
  EXPECT_THAT(quantiles, ElementsAre(2.2, 2.2, 2.2, 2.5, 3));
}

TEST(IntervalTest, ValuesAreFoundByLevel) {
  const auto levels = WithScoredLevels({.3, .99});
  const std::vector<double> values = {1, 2, 9, 3, 4, 5, 9};
  EXPECT_THAT(AtScoredLevels(levels, values), ElementsAre(1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace priorityd::forecast
