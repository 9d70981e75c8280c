#include "engine/priority/fair_share/level_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace priorityd::priority {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sorts `size` values drawn by `draw` and checks them against std::sort.
void ExpectSorted(size_t size, const std::function<double()>& draw) {
  std::vector<LevelItem> items;
  std::vector<double> want;
  for (size_t i = 0; i < size; ++i) {
    want.push_back(draw());
    items.push_back(LevelItem::Of(static_cast<AssociationIndex>(i), want.back()));
  }
  const std::vector<double> drawn = want;
  std::sort(want.begin(), want.end(), std::greater<>());
  std::vector<LevelItem> scratch;
  SortLevel(absl::MakeSpan(items), &scratch);
  for (size_t i = 0; i < size; ++i) {
    ASSERT_EQ(items[i].level_fs(), want[i]) << size << " " << i;
    ASSERT_EQ(drawn[items[i].association], want[i]);
  }
}

constexpr size_t kSizes[] = {0, 1, 2, 47, 48, 49, 300, 4096, 4097, 100000};

TEST(LevelSortTest, FallsWhateverTheDistribution) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::lognormal_distribution<double> wide(0, 30);
  std::uniform_int_distribution<int> few(0, 3);
  for (const size_t size : kSizes) {
    ExpectSorted(size, [&] { return uniform(random); });
    ExpectSorted(size, [&] { return wide(random); });
    ExpectSorted(size, [&] { return few(random); });
    ExpectSorted(size, [] { return 1.5; });
  }
}

TEST(LevelSortTest, ZeroAndInfinityAreTheEnds) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const size_t size : kSizes) {
    ExpectSorted(size, [&] {
      const double value = uniform(random);
      return value < 0.2 ? 0 : value < 0.4 ? kInfinity : value;
    });
  }
}

TEST(LevelSortTest, DistinguishesNeighboursOfTheLastBit) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<uint64_t> low(0, 1000);
  for (const size_t size : kSizes) {
    const uint64_t one = std::bit_cast<uint64_t>(1.0);
    ExpectSorted(size, [&] { return std::bit_cast<double>(one + low(random)); });
    // One outlier widens the range that the leading digits have to cover.
    int n = 0;
    ExpectSorted(size, [&] { return n++ == 3 ? 1e300 : std::bit_cast<double>(one + low(random)); });
  }
}

TEST(LevelSortTest, SortedAndReversedInputs) {
  for (const size_t size : kSizes) {
    double next = 0;
    ExpectSorted(size, [&] { return next += 1.25; });
    next = 1e9;
    ExpectSorted(size, [&] { return next -= 1.25; });
  }
}

}  // namespace
}  // namespace priorityd::priority
