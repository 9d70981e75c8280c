#include "server/measures/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace priorityd::measures {
namespace {

using ::testing::ElementsAre;

TEST(DistributionTest, AValueBelongsToTheFirstBoundThatItDoesNotExceed) {
  Distribution distribution({1, 10});
  for (const double value : {0.5, 1.0, 1.5, 10.0, 10.5, 1000.0}) distribution.Add(value);
  const Distribution::Reading reading = distribution.Read();
  EXPECT_THAT(reading.counts, ElementsAre(2, 2, 2));
  EXPECT_EQ(reading.count(), 6u);
  EXPECT_DOUBLE_EQ(reading.sum, 1023.5);
}

TEST(DistributionTest, NothingIsLostWhenManyThreadsAdd) {
  Distribution distribution(SecondsBounds());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&distribution] {
      for (int n = 0; n < 10'000; ++n) distribution.Add(0.25);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(distribution.Read().count(), 40'000u);
  EXPECT_DOUBLE_EQ(distribution.Read().sum, 10'000);
}

}  // namespace
}  // namespace priorityd::measures
