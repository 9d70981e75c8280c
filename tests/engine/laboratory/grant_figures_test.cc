#include "engine/laboratory/grant_figures.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

absl::Time SecondOf(int second) { return kBegin + absl::Seconds(second); }

// In effect in [100, 200) and from 400 on. Jobs a and b meet it, c ends its wait before, d begins
// to wait after the first time and starts before the second, e is of another user, f never starts,
// g waits as d does, and is held.
TEST(GrantFiguresTest, JobsThatWaitWhileAConsequenceIsInEffectCount) {
  const Site site = SmallSite(1, 1, 3).Build();
  std::vector<HistoryJob> jobs = {JobOf("a", 0, 10),   JobOf("b", 150, 10), JobOf("c", 0, 10),
                                  JobOf("d", 200, 10), JobOf("e", 0, 10),   JobOf("f", 300, 10),
                                  JobOf("g", 210, 10)};
  jobs[1].user = "u1";
  jobs[4].user = "u2";
  TriedGrant first, second;
  first.name = "g";
  first.settings.accounts = {"lab"};
  first.settings.user = "u0";
  first.settings.consequence = priority::GrantConsequence::kBlock;
  second = first;
  second.settings.user = "u1";
  const std::vector<InEffect> times = {{SecondOf(100), SecondOf(200)},
                                       {SecondOf(400), absl::InfiniteFuture()}};
  const Played with = {.schedule = {{SecondOf(100), SecondOf(160), SecondOf(99), SecondOf(399),
                                     SecondOf(150), std::nullopt, SecondOf(310)}},
                       .in_effect = {times, times},
                       .held = {{0, 6}}};
  const Schedule without = {{SecondOf(40), SecondOf(150), SecondOf(0), SecondOf(200), SecondOf(150),
                             SecondOf(320), SecondOf(230)}};
  const Period period = {kBegin, SecondOf(500)};
  const std::vector<GrantFigures> figures =
      FiguresOf(site, jobs, {first, second}, with, without, period);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].jobs, 3);  // a, f and g
  EXPECT_EQ(figures[0].users, 1);
  EXPECT_EQ(figures[0].wait, 100);
  EXPECT_EQ(figures[0].wait_without, (40 + 20 + 20) / 3.0);
  EXPECT_EQ(figures[0].first, SecondOf(100));
  EXPECT_EQ(figures[0].length, absl::Seconds(200));
  EXPECT_EQ(figures[0].consequence, "block");
  EXPECT_EQ(figures[1].jobs, 1);  // b
  EXPECT_EQ(figures[1].wait, 10);
  EXPECT_EQ(figures[1].wait_without, 0);
}

// Three of two users; the last one became eligible after the period.
TEST(GrantFiguresTest, RefusedJobsAreCountedByUser) {
  const Site site = SmallSite(1, 1, 2).Build();
  std::vector<HistoryJob> jobs = {JobOf("a", 10, 10), JobOf("b", 20, 10), JobOf("c", 30, 10),
                                  JobOf("d", 600, 10)};
  jobs[1].user = "u1";
  TriedGrant grant;
  grant.name = "g";
  grant.settings.accounts = {"lab"};
  grant.settings.consequence = priority::GrantConsequence::kRefuse;
  const std::vector<InEffect> times = {{SecondOf(5), absl::InfiniteFuture()}};
  const Schedule without = {{SecondOf(10), SecondOf(26), SecondOf(36), SecondOf(600)}};
  const Played with = {
      .schedule = {std::vector<std::optional<absl::Time>>(4)},
      .in_effect = {times},
      .refused = {
          {0, 0, SecondOf(10)}, {1, 0, SecondOf(20)}, {2, 0, SecondOf(30)}, {3, 0, SecondOf(600)}}};
  const std::vector<GrantFigures> figures =
      FiguresOf(site, jobs, {grant}, with, without, {kBegin, SecondOf(500)});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].jobs, 3);
  EXPECT_EQ(figures[0].users, 2);
  EXPECT_EQ(figures[0].wait_without, 4);  // (0 + 6 + 6) / 3
  EXPECT_EQ(figures[0].refused, (std::vector<RefusedUser>{{"u0", 2, SecondOf(10), SecondOf(30)},
                                                          {"u1", 1, SecondOf(20), SecondOf(20)}}));
}

}  // namespace
}  // namespace priorityd::laboratory
