#include "engine/forecast/reference.h"

#include <cmath>

#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

// P(Binomial(count, level) <= most), by products of whole numbers.
double Binomial(size_t count, double level, size_t most) {
  double sum = 0;
  for (size_t k = 0; k <= most; ++k) {
    double term = 1;
    for (size_t i = 0; i < k; ++i) {
      term *= static_cast<double>(count - i) / static_cast<double>(k - i) * level;
    }
    sum += term * std::pow(1 - level, static_cast<double>(count - k));
  }
  return sum;
}

Job OfClass(double cpus) {
  Job job;
  job.cpus = cpus;
  job.limit = 3600;
  return job;
}

TEST(ReferenceTest, TheRankOfABoundIsTheLeastOfTheBinomialDistribution) {
  for (const size_t count : {1, 10, 29, 59, 100, 200}) {
    for (const double level : {.25, .5, .75, .9, .95}) {
      const size_t rank = UpperBoundRank(count, level, .95);
      ASSERT_GE(rank, 1);
      if (rank <= count) EXPECT_GE(Binomial(count, level, rank - 1), .95) << count << " " << level;
      if (rank > 1) EXPECT_LT(Binomial(count, level, rank - 2), .95) << count << " " << level;
    }
  }
}

// .95^58 > .05 > .95^59: the number of the QBETS papers.
TEST(ReferenceTest, ABoundOnThe95PercentQuantileNeeds59Values) {
  EXPECT_EQ(UpperBoundRank(58, .95, .95), 59);
  EXPECT_EQ(UpperBoundRank(59, .95, .95), 59);
  EXPECT_EQ(UpperBoundRank(28, .9, .95), 29);
  EXPECT_EQ(UpperBoundRank(29, .9, .95), 29);
}

TEST(ReferenceTest, BoundsAreThoseOrderStatisticsAndTheMedianIsPlain) {
  WaitTable table;
  for (int wait = 1; wait <= 100; ++wait) table.Add(OfClass(1), wait);
  const double levels[] = {.1, .5, .9};
  const auto bounds = table.Bounds(OfClass(1), levels);
  const auto rank = UpperBoundRank(100, .9, .95);
  EXPECT_NEAR(FromScale(bounds[2]), static_cast<double>(rank), 1e-6);
  EXPECT_NEAR(FromScale(bounds[0]), static_cast<double>(101 - rank), 1e-6);
  EXPECT_NEAR(bounds[1], (ToScale(50) + ToScale(51)) / 2, 1e-9);
  const auto plain = table.Quantiles(OfClass(1), levels);
  EXPECT_NEAR(FromScale(plain[2]), 90.1, 0.01);
}

TEST(ReferenceTest, AClassWithFewWaitsUsesThoseOfAllJobs) {
  WaitTable table;
  for (int i = 0; i < 100; ++i) table.Add(OfClass(1), 10);
  for (size_t i = 0; i + 1 < WaitTable::kFewestWaits; ++i) table.Add(OfClass(64), 1000);
  EXPECT_EQ(table.CountFor(OfClass(64)), 119);
  table.Add(OfClass(64), 1000);
  EXPECT_EQ(table.CountFor(OfClass(64)), 20);
  EXPECT_EQ(table.CountFor(OfClass(1)), 100);
}

TEST(ReferenceTest, OnlyTheLast200WaitsOfAClassCount) {
  WaitTable table;
  for (int i = 0; i < 200; ++i) table.Add(OfClass(1), 5000);
  for (int i = 0; i < 200; ++i) table.Add(OfClass(1), 10);
  EXPECT_NEAR(FromScale(table.Quantiles(OfClass(1), {.99})[0]), 10, 1e-6);
}

TEST(ReferenceTest, AJobThatHasWaitedGetsOnlyTheLongerWaits) {
  WaitTable table;
  for (int wait = 1; wait <= 100; ++wait) table.Add(OfClass(1), wait);
  EXPECT_NEAR(FromScale(table.Quantiles(OfClass(1), {.0001}, ToScale(90))[0]), 91, .01);
  EXPECT_TRUE(table.Quantiles(OfClass(1), {.5}, ToScale(100)).empty());
}

TEST(ReferenceTest, AnEmptyTableHasNoAnswer) {
  WaitTable table;
  EXPECT_TRUE(table.Bounds(OfClass(1), {.5}).empty());
  table.Add(OfClass(1), 5);
  table.Clear();
  EXPECT_TRUE(table.Quantiles(OfClass(1), {.5}).empty());
}

}  // namespace
}  // namespace priorityd::forecast
