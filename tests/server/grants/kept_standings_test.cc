// Standings that are kept between recalculations beside those computed again as a whole.
#include "server/grants/kept_standings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/grants/balance.h"
#include "server/grants/standings.h"

namespace priorityd::grants {
namespace {

constexpr int kDays = 200;

absl::Time Day(int64_t day) { return absl::FromUnixSeconds(1'767'225'600 + day * 86400); }

auto Key(const budgets::GrantLevel& level) {
  return std::tie(level.grant, level.window, level.account, level.user, level.tres, level.available,
                  level.used);
}

bool AreSame(const std::vector<budgets::GrantLevel>& a, const std::vector<budgets::GrantLevel>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return Key(x) == Key(y); });
}

class KeptStandingsTest : public testing::TestWithParam<uint32_t> {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  void AddGrant(const std::string& account, WindowKind window, absl::Time begin, absl::Time end) {
    StoredGrant& stored = book_.grants.emplace_back();
    stored.row.name = absl::StrCat("g", book_.grants.size());
    stored.row.accounts = {account};
    stored.row.tres = "cpu";
    stored.grant = {.name = stored.row.name,
                    .begin = begin,
                    .end = end,
                    .window = window,
                    .rolling_days = 7,
                    .grace = Below(3) * 100'000,
                    .order = Below(2)};
    stored.grant.versions = {{begin, Amount::FromMinutes(static_cast<double>(1 + Below(1000)))}};
    stored.consequence =
        Below(4) == 0 ? priority::GrantConsequence::kNone : priority::GrantConsequence::kBlock;
  }

  // Its pools have all periods that will be.
  void FinishBook() {
    MakeStacks(&book_);
    for (const Stack& stack : book_.stacks) {
      Pool& pool = pools_.emplace_back();
      pool.owner = stack.owner;
      const std::vector<absl::Time> times = BoundariesOf(stack.grants, zone_, Day(kDays));
      if (times.empty()) continue;
      pool.usage.Cut(times.front(), times);
      pool.usage.Join();
    }
  }

  void DrawBook() {
    for (int64_t account = 0; account < 12; ++account) {
      const int64_t grants = 1 + Below(3);
      const bool rolls = Below(4) == 0;
      for (int64_t i = 0; i < (rolls ? 1 : grants); ++i) {
        const auto window = rolls ? WindowKind::kRolling : static_cast<WindowKind>(Below(4));
        const absl::Time begin = Day(Below(kDays)) - absl::Hours(Below(24));
        AddGrant(absl::StrCat("a", account), window, begin,
                 Below(2) == 0 ? absl::InfiniteFuture() : begin + absl::Hours(Below(90 * 24)));
      }
    }
    FinishBook();
  }

  void UseAny(absl::Time time) {
    Pool& pool = pools_[Below(static_cast<int64_t>(pools_.size()))];
    pool.usage.Add(static_cast<double>(1 + Below(20)), time - absl::Hours(1 + Below(48)), time,
                   Below(6) != 0);
    pool.has_changed = true;
  }

  void Update(absl::Time time) { kept_.Update(book_, zone_, time, &pools_, &standings_, &levels_); }

  // Against all of them, and those before.
  void ExpectAll(absl::Time time, const priority::GrantStandings& before) {
    const GrantWindows windows = WindowsOf(book_, PeriodsOf(pools_), zone_, time);
    EXPECT_EQ(standings_, StandingsOf(book_, windows, time)) << time;
    std::vector<budgets::GrantLevel> levels;
    for (size_t i = 0; i < book_.grants.size(); ++i) {
      auto level = LevelOf(book_.grants[i], windows[i], time);
      if (level.has_value()) levels.push_back(*std::move(level));
    }
    EXPECT_TRUE(AreSame(levels_, levels)) << time;
    if (!kept_.computed().has_value()) return;
    ASSERT_EQ(standings_.size(), before.size());
    for (size_t i = 0; i < before.size(); ++i) {
      if (standings_[i] == before[i]) continue;
      EXPECT_TRUE(std::ranges::binary_search(*kept_.computed(), i)) << i << " at " << time;
    }
  }

  const absl::TimeZone zone_ = absl::UTCTimeZone();
  GrantBook book_;
  std::vector<Pool> pools_;
  KeptStandings kept_;
  priority::GrantStandings standings_;
  std::vector<budgets::GrantLevel> levels_;
  std::mt19937 random_{GetParam()};
};

TEST_P(KeptStandingsTest, AreThoseThatAreComputedAsAWhole) {
  DrawBook();
  for (absl::Time time = Day(0); time < Day(kDays) && !HasFailure();
       time += absl::Minutes(Below(3) == 0 ? Below(3 * 1440) : Below(60))) {
    for (int64_t count = Below(3); count > 0; --count) UseAny(time);
    const priority::GrantStandings before = standings_;
    Update(time);
    ExpectAll(time, before);
  }
}

TEST_P(KeptStandingsTest, OnlyOwnersWithUsageOrAnotherWindowAreComputed) {
  for (const char* account : {"a", "b", "c"}) {
    AddGrant(account, account[0] == 'b' ? WindowKind::kMonth : WindowKind::kYear, Day(0),
             absl::InfiniteFuture());
    book_.grants.back().consequence = priority::GrantConsequence::kBlock;
  }
  FinishBook();
  using Places = std::vector<size_t>;
  Update(Day(1));
  EXPECT_EQ(kept_.computed(), std::nullopt);
  Update(Day(2));
  EXPECT_EQ(kept_.computed(), Places());
  pools_[2].has_changed = true;
  Update(Day(3));
  EXPECT_EQ(kept_.computed(), Places{2});
  Update(Day(31));
  EXPECT_EQ(kept_.computed(), Places{1}) << "of February";
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeptStandingsTest, testing::Range(0u, 20u));

}  // namespace
}  // namespace priorityd::grants
