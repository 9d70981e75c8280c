#include "engine/plan/releases.h"

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::plan {
namespace {

using Steps = std::vector<std::pair<int64_t, int>>;  // (second, node).

absl::Time At(int64_t second) { return absl::FromUnixSeconds(second); }

// One resource, so that it is plain which releases a walk has to show.
struct Release {
  int64_t free;
  int64_t falls;
  int64_t then;
};

class ReleasesTest : public ::testing::Test {
 protected:
  int Draw(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<uint32_t>(to - from + 1));
  }

  void Change() {
    const std::pair<int64_t, int> key = {Draw(0, 400), Draw(0, 5)};
    const auto there = naive_.find(key);
    if (there != naive_.end() && Draw(0, 1) == 0) {
      naive_.erase(there);
      releases_.Erase({At(key.first), key.second});
      return;
    }
    const Release release = {Draw(0, 9), key.first + Draw(1, 50), Draw(0, 9)};
    const Amounts free = {release.free};
    const Amounts then = {release.then};
    const StepProfile::Rise rise = {At(key.first), free, At(release.falls), then};
    if (there == naive_.end()) {
      releases_.Insert(key.second, rise);
    } else {
      releases_.Update(key.second, rise);
    }
    naive_[key] = release;
  }

  Steps Walked(int64_t amount, int64_t seconds, int64_t closes, std::pair<int64_t, int> from) {
    const Amounts amounts = {amount};
    const Releases::Need need = {amounts, absl::Seconds(seconds), At(closes)};
    Steps steps;
    Releases::Walk walk(releases_, need, {At(from.first), from.second});
    for (; !walk.is_done(); walk.Next()) {
      steps.emplace_back(absl::ToUnixSeconds(walk.key().time), walk.key().node);
    }
    return steps;
  }

  // Those that do not fall too low before the job ends.
  Steps Expected(int64_t amount, int64_t seconds, int64_t closes, std::pair<int64_t, int> from) {
    Steps steps;
    for (const auto& [key, release] : naive_) {
      const int64_t end = std::min(key.first + seconds, closes);
      const bool falls = release.falls < end && release.then < amount;
      if (key >= from && release.free >= amount && !falls) steps.push_back(key);
    }
    return steps;
  }

  std::mt19937 random_{1};
  Releases releases_;
  std::map<std::pair<int64_t, int>, Release> naive_;
};

TEST_F(ReleasesTest, AWalkShowsWhatASearchOfAllShows) {
  for (int round = 0; round < 20'000; ++round) {
    Change();
    if (round % 10 != 0) continue;
    const int64_t amount = Draw(1, 9), seconds = Draw(1, 60), closes = Draw(0, 500);
    const std::pair<int64_t, int> from = {Draw(0, 400), Draw(0, 5)};
    ASSERT_EQ(Walked(amount, seconds, closes, from), Expected(amount, seconds, closes, from))
        << "round " << round;
  }
}

TEST_F(ReleasesTest, AWalkOfSeveralTypesIsInOneOrder) {
  std::vector<Releases> releases(3);
  const Amounts one = {1};
  Steps all;
  for (int i = 0; i < 300; ++i) {
    const int64_t second = Draw(0, 50);
    releases[i % 3].Insert(i, {At(second), one, absl::InfiniteFuture(), one});
    if (i % 3 != 1) all.emplace_back(second, i);
  }
  std::sort(all.begin(), all.end());
  const Releases::Need need = {one, absl::Seconds(1), absl::InfiniteFuture()};
  Steps walked;
  for (MergedWalk walk(releases, {0, 2}, need, {At(0), 0}); !walk.is_done(); walk.Next()) {
    walked.emplace_back(absl::ToUnixSeconds(walk.key().time), walk.key().node);
  }
  EXPECT_EQ(walked, all);
}

}  // namespace
}  // namespace priorityd::plan
