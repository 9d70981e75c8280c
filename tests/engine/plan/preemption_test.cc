#include "engine/plan/preemption.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/plan/naive_victims.h"
#include "tests/engine/plan/random_cluster.h"

namespace priorityd::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunningJob On(std::vector<int> nodes, int64_t cpus) {
  const int count = static_cast<int>(nodes.size());
  return {.request = {count, {cpus}}, .place = {.types = {0}}, .nodes = std::move(nodes)};
}

WaitingJob Wants(int nodes, int64_t cpus) {
  return {.request = {nodes, {cpus}}, .places = {{.types = {0}}}};
}

std::optional<Victims> Choose(const Cluster& cluster, const std::vector<RunningJob>& running,
                              const WaitingJob& job, const std::vector<int>& candidates) {
  VictimWork work;
  return ChooseVictims(cluster, running, job, candidates, work);
}

// Palmetto, "Preemption": "Slurm will always attempt to start an owner job without preempting."
TEST(ChooseVictimsTest, AJobThatFitsPreemptsNobody) {
  const auto victims = Choose({.types = {{2, {2}}}}, {On({0}, 2)}, Wants(1, 2), {0});
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->running, IsEmpty());
  EXPECT_THAT(victims->nodes, ElementsAre(1));
}

// Palmetto, "Preemption": "the fewest number of jobs possible, prioritizing lower priority jobs".
TEST(ChooseVictimsTest, FewestThenThoseThatAreToGoFirst) {
  const Cluster cluster{.types = {{3, {2}}}};
  const std::vector<RunningJob> running = {On({0}, 1), On({0}, 1), On({1}, 2), On({2}, 2)};
  const auto victims = Choose(cluster, running, Wants(1, 2), {0, 1, 3, 2});
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->running, ElementsAre(3));
  EXPECT_THAT(victims->nodes, ElementsAre(2));
}

TEST(ChooseVictimsTest, OneWideJobIsFewerThanTwoNarrowOnes) {
  const std::vector<RunningJob> running = {On({0}, 1), On({1}, 1), On({2, 3}, 1)};
  const auto victims = Choose({.types = {{4, {1}}}}, running, Wants(2, 1), {0, 1, 2});
  ASSERT_TRUE(victims.has_value());
  EXPECT_THAT(victims->running, ElementsAre(2));
}

TEST(ChooseVictimsTest, NobodyWhereAllOfThemWouldNotDo) {
  const std::vector<RunningJob> running = {On({0}, 1), On({1}, 1)};
  EXPECT_FALSE(Choose({.types = {{2, {1}}}}, running, Wants(2, 1), {0}).has_value());
}

// A thousand nodes of eight jobs each.
TEST(ChooseVictimsTest, AWideJobOnFullNodesOfSmallJobsFindsTheFewest) {
  const Cluster cluster{.types = {{1000, {8}}}};
  std::vector<RunningJob> running;
  for (int job = 0; job < 8000; ++job) running.push_back(On({job % 1000}, 1));
  std::vector<int> candidates(running.size());
  std::iota(candidates.begin(), candidates.end(), 0);
  const auto victims = Choose(cluster, running, Wants(100, 4), candidates);
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->running.size(), 400);
  EXPECT_TRUE(victims->fewest);
}

// Full nodes of 60 jobs, alternately of 3 and 1 and of 1 and 3 units of two resources.
struct HardNodes {
  explicit HardNodes(int nodes) : cluster{.types = {{nodes, {120, 120}}}} {
    for (int job = 0; job < 60 * nodes; ++job) {
      const int64_t first = job % 2 == 0 ? 3 : 1;
      running.push_back(
          {.request = {1, {first, 4 - first}}, .place = {.types = {0}}, .nodes = {job / 60}});
      candidates.push_back(job);
    }
  }

  Cluster cluster;
  std::vector<RunningJob> running;
  std::vector<int> candidates;
};

// 61 units of each take 31 jobs: n of them have 4 n units. No n below 21 is tried, and too many
// sets of 21 to 30.
TEST(ChooseVictimsTest, TheNodesOfAPlaceShareABoundOnTheWork) {
  constexpr int kNodes = 100;
  const HardNodes hard(kNodes);
  const WaitingJob job = {.request = {1, {61, 61}}, .places = {{.types = {0}}}};
  VictimWork work;
  const int64_t most = work.left;
  const auto victims = ChooseVictims(hard.cluster, hard.running, job, hard.candidates, work);
  EXPECT_LT(work.left, VictimWork::kMostOfSearch) << "the first nodes take most of it";
  EXPECT_LT(most - work.left, most + 500 * kNodes);
  ASSERT_TRUE(victims.has_value());
  EXPECT_FALSE(victims->fewest);
  EXPECT_GE(victims->running.size(), 31u);
  EXPECT_THAT(victims->nodes, ElementsAre(victims->running.front() / 60));
}

TEST(ChooseVictimsTest, WithoutWorkLeftNoneOfTheVictimsCanBeSpared) {
  const HardNodes hard(3);
  const WaitingJob job = {.request = {2, {7, 7}}, .places = {{.types = {0}}}};
  VictimWork none{.left = 0};
  const auto victims = ChooseVictims(hard.cluster, hard.running, job, hard.candidates, none);
  ASSERT_TRUE(victims.has_value());
  EXPECT_FALSE(victims->fewest);
  EXPECT_GT(none.left, -100);
  VictimWork enough;
  const auto fewest = ChooseVictims(hard.cluster, hard.running, job, hard.candidates, enough);
  EXPECT_TRUE(fewest->fewest);
  EXPECT_EQ(fewest->running.size(), 8u) << "four on each node";
  EXPECT_GE(victims->running.size(), 8u);
  for (size_t spared = 0; spared < victims->running.size(); ++spared) {
    std::vector<int> others = victims->running;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(spared));
    EXPECT_FALSE(Choose(hard.cluster, hard.running, job, others).has_value()) << spared;
  }
}

std::string ToString(const std::optional<Victims>& victims) {
  if (!victims.has_value()) return "none";
  return absl::StrCat("victims ", absl::StrJoin(victims->running, ","), " place ", victims->place,
                      " nodes ", absl::StrJoin(victims->nodes, ","), " ", victims->fewest);
}

TEST(ChooseVictimsPropertyTest, TryingAllSubsetsSaysTheSame) {
  int preempted = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    RandomCluster random(seed, /*consistent=*/seed % 4 > 0);
    std::mt19937 order(seed);
    std::vector<int> candidates(random.running.size());
    std::iota(candidates.begin(), candidates.end(), 0);
    std::shuffle(candidates.begin(), candidates.end(), order);
    if (!candidates.empty() && seed % 3 == 0) candidates.pop_back();
    for (const WaitingJob& job : random.waiting) {
      const auto victims = Choose(random.cluster, random.running, job, candidates);
      ASSERT_EQ(ToString(victims),
                ToString(NaiveVictims(random.cluster, random.running, job, candidates)))
          << "seed " << seed;
      preempted += victims.has_value() && !victims->running.empty();
    }
  }
  EXPECT_GT(preempted, 500);
}

}  // namespace
}  // namespace priorityd::plan
