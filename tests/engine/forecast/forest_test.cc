#include "engine/forecast/forest.h"

#include <algorithm>

#include "engine/forecast/random.h"
#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

Example Of(float feature, double wait) {
  Example example;
  example.row.fill(0);
  example.row[3] = feature;
  example.wait = static_cast<float>(wait);
  return example;
}

// Of no age: as long a half-life as no test has examples.
ForestOptions Ageless() { return {.trees = 60, .half_life = 1e9}; }

// The quantiles of waits that depend on nothing are those of all waits.
TEST(ForestTest, WithoutInformationItIsTheDistributionOfAllWaits) {
  std::vector<Example> examples;
  for (int wait = 1; wait <= 1000; ++wait) examples.push_back(Of(1, wait));
  const Forest forest = Forest::Train(examples, Ageless());
  const auto quantiles = forest.Quantiles(Of(1, 0).row, {.1, .5, .9});
  EXPECT_NEAR(FromScale(quantiles[0]), 100, 15);
  EXPECT_NEAR(FromScale(quantiles[1]), 500, 25);
  EXPECT_NEAR(FromScale(quantiles[2]), 900, 15);
}

// Waits are uniform between 1000 x and 1000 x + 900: the quantiles follow x.
TEST(ForestTest, QuantilesFollowAFeature) {
  Random random(3);
  std::vector<Example> examples;
  for (int i = 0; i < 4000; ++i) {
    const auto x = static_cast<float>(random.Below(5));
    examples.push_back(Of(x, 1000 * x + random.Below(900)));
  }
  const Forest forest = Forest::Train(examples, Ageless());
  for (const float x : {0, 2, 4}) {
    const auto quantiles = forest.Quantiles(Of(x, 0).row, {.1, .5, .9});
    EXPECT_NEAR(FromScale(quantiles[0]), 1000 * x + 90, 60);
    EXPECT_NEAR(FromScale(quantiles[1]), 1000 * x + 450, 90);
    EXPECT_NEAR(FromScale(quantiles[2]), 1000 * x + 810, 60);
  }
}

TEST(ForestTest, AJobThatHasWaitedGetsTheRestOfTheDistribution) {
  std::vector<Example> examples;
  for (int wait = 1; wait <= 1000; ++wait) examples.push_back(Of(1, wait));
  const Forest forest = Forest::Train(examples, Ageless());
  const auto quantiles = forest.Quantiles(Of(1, 0).row, {.01, .5}, ToScale(500));
  EXPECT_GT(FromScale(quantiles[0]), 500);
  EXPECT_NEAR(FromScale(quantiles[1]), 750, 25);
  EXPECT_TRUE(forest.Quantiles(Of(1, 0).row, {.5}, ToScale(1000)).empty());
}

// With a half-life of H starts, the last H of very many have half of all weight.
TEST(ForestTest, NewerExamplesJoinTheLeavesAndOlderOnesFade) {
  std::vector<Example> examples(4000, Of(1, 100));
  ForestOptions options = {.trees = 20, .half_life = 500};
  Forest forest = Forest::Train(examples, options);
  for (int i = 0; i < 500; ++i) forest.Add(Of(1, 9000));
  EXPECT_EQ(forest.examples(), 4500);
  const auto quantiles = forest.Quantiles(Of(1, 0).row, {.48, .52});
  EXPECT_NEAR(FromScale(quantiles[0]), 100, 1);
  EXPECT_NEAR(FromScale(quantiles[1]), 9000, 1);
}

TEST(ForestTest, TheSameExamplesAndSeedGiveTheSameForest) {
  Random random(9);
  std::vector<Example> examples;
  for (int i = 0; i < 600; ++i) {
    Example example = Of(static_cast<float>(random.Below(1000)), random.Below(100'000));
    example.row[40] = static_cast<float>(random.Below(7));
    examples.push_back(example);
  }
  const Forest one = Forest::Train(examples, {}), two = Forest::Train(examples, {});
  const Forest other = Forest::Train(examples, {.seed = 2});
  bool differs = false;
  for (const Example& example : examples) {
    EXPECT_EQ(one.Quantiles(example.row, {.1, .5, .9}), two.Quantiles(example.row, {.1, .5, .9}));
    EXPECT_EQ(one.Mean(example.row), two.Mean(example.row));
    differs |= one.Mean(example.row) != other.Mean(example.row);
  }
  EXPECT_TRUE(differs);
}

TEST(ForestTest, WithoutExamplesItIsEmpty) {
  const Forest forest = Forest::Train({}, {});
  EXPECT_TRUE(forest.empty());
}

}  // namespace
}  // namespace priorityd::forecast
