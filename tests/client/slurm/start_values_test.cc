#include "client/slurm/start_values.h"

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::ElementsAre;
using Now = std::vector<std::optional<int64_t>>;

constexpr int64_t kLowestValue = kAboveMultifactor.lowest;
constexpr int64_t kHighestValue = kAboveMultifactor.highest;

std::vector<int64_t> Values(const Now& now) { return StartValues(now, kAboveMultifactor); }

size_t Changed(const Now& now, const std::vector<int64_t>& values) {
  size_t changed = 0;
  for (size_t i = 0; i < now.size(); ++i) changed += now[i] != values[i] ? 1 : 0;
  return changed;
}

// The longest falling selection, by trying for each job all before it.
size_t LongestFalling(const Now& now) {
  std::vector<size_t> longest(now.size(), 0);
  size_t most = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    if (!now[i].has_value()) continue;
    longest[i] = 1;
    for (size_t j = 0; j < i; ++j) {
      if (now[j].has_value() && *now[j] > *now[i])
        longest[i] = std::max(longest[i], longest[j] + 1);
    }
    most = std::max(most, longest[i]);
  }
  return most;
}

TEST(StartValuesTest, AnOrderThatIsRightIsLeftAlone) {
  EXPECT_THAT(Values({9000, 8000, 7000}), ElementsAre(9000, 8000, 7000));
}

TEST(StartValuesTest, OneJobThatMovedIsTheOneThatChanges) {
  const auto values = Values({5000, 9000, 8000, 7000});
  EXPECT_GT(values[0], 9000);
  EXPECT_THAT(std::vector(values.begin() + 1, values.end()), ElementsAre(9000, 8000, 7000));
}

TEST(StartValuesTest, ANewJobGoesBetween) {
  const auto values = Values({9000, std::nullopt, 8000});
  EXPECT_THAT(values, ElementsAre(9000, 8500, 8000));
}

TEST(StartValuesTest, WithoutRoomAllAreSetAgain) {
  const auto values = Values({9000, std::nullopt, 8999});
  EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
  EXPECT_NE(values[0], 9000);
}

TEST(StartValuesTest, NoJobsHaveNoValues) { EXPECT_THAT(Values({}), ElementsAre()); }

TEST(StartValuesTest, ValuesFallAndTheFewestChange) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Now now(random() % 12);
    for (auto& value : now) {
      if (random() % 4 != 0) value = kLowestValue + (1 + random() % 100) * 1'000'000;
    }
    const auto values = Values(now);
    ASSERT_EQ(values.size(), now.size());
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_GE(values[i], kLowestValue);
      ASSERT_LE(values[i], kHighestValue);
      ASSERT_LT(values[i], i == 0 ? kHighestValue + 1 : values[i - 1]);
    }
    ASSERT_EQ(Changed(now, values), now.size() - LongestFalling(now));
  }
}

TEST(StartValuesTest, ValuesOverThoseOfPriorityBasicAreOverWhatComesNext) {
  const auto values = StartValues(Now(20'000), kAboveBasic);
  EXPECT_GT(values.back(), 0xffff0000);
  EXPECT_LT(values.front(), 0xfffffffd);
  EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend(), std::less_equal<>()));
}

// New jobs at either end, again and again, as a queue lives.
TEST(StartValuesTest, AQueueThatLivesLongHasRoom) {
  std::mt19937 random(8);
  Now now;
  size_t changes = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const size_t place = random() % 3 == 0 ? random() % (now.size() + 1) : now.size();
    now.insert(now.begin() + static_cast<ptrdiff_t>(place), std::nullopt);
    const auto values = Values(now);
    changes += Changed(now, values);
    now.assign(values.begin(), values.end());
    if (now.size() > 50) now.erase(now.begin());
  }
  EXPECT_LT(changes, 40'000) << "jobs set for 20,000 that came";
}

}  // namespace
}  // namespace priorityd::slurm_frontend
