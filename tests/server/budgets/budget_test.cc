#include "server/budgets/budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::budgets {
namespace {

using priority::HalfLifeChange;
using priority::kNow;
using priority::ResetPeriod;
using priority::UsageDecay;

constexpr double kBudgetMinute = 60;

UsageDecay WithHalfLife(absl::Duration half_life) {
  const HalfLifeChange change{kNow - absl::Hours(1), half_life};
  return UsageDecay(absl::MakeConstSpan(&change, 1), {});
}

void ExpectAt(std::optional<absl::Time> time, absl::Duration after) {
  ASSERT_TRUE(time.has_value());
  EXPECT_NEAR(absl::ToDoubleSeconds(*time - kNow), absl::ToDoubleSeconds(after), 0.01);
}

TEST(RunsOutTest, WithoutDecayItIsWhatIsLeftByTheRate) {
  ExpectAt(RunsOut(UsageDecay({}, {}), 80 * kBudgetMinute, 0.5, 100 * kBudgetMinute, kNow),
           absl::Minutes(40));
}

TEST(RunsOutTest, WhatIsUsedUpRunsOutNowAndWhatIsNotUsedNever) {
  EXPECT_EQ(RunsOut(UsageDecay({}, {}), 100, 0, 100, kNow), kNow);
  EXPECT_EQ(RunsOut(UsageDecay({}, {}), 99, 0, 100, kNow), std::nullopt);
}

// Usage at rate r tends to r * HL / ln 2. Before: (c - used) * 2^(-t/HL) = c - limit.
TEST(RunsOutTest, WithDecayItIsLaterOrNever) {
  const absl::Duration half_life = absl::Hours(24);
  const double settled = 1 * 86400 / std::log(2.0);
  const double limit = settled * 0.9;
  const double used = settled * 0.3;
  ExpectAt(RunsOut(WithHalfLife(half_life), used, 1, limit, kNow),
           half_life * std::log2((settled - used) / (settled - limit)));
  EXPECT_EQ(RunsOut(WithHalfLife(half_life), used, 1, settled * 1.01, kNow), std::nullopt);
}

// Minute by minute; nullopt = not within `days`.
std::optional<absl::Time> Naive(double half_life_days, bool daily_reset, double used, double rate,
                                double limit, int days) {
  absl::Time time = kNow;
  for (int minute = 0; minute < days * 24 * 60; ++minute) {
    used = used * std::exp2(-1 / (half_life_days * 24 * 60)) + rate * 60;
    time += absl::Minutes(1);
    if (daily_reset && absl::ToUnixSeconds(time) % 86400 == 0) used = 0;
    if (used >= limit) return time;
  }
  return std::nullopt;
}

TEST(RunsOutTest, AgreesWithCountingMinuteByMinute) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, 1);
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    const double half_life_days = 1 + 10 * part(random);
    const bool daily_reset = i % 2 == 0;
    const double limit = 1e5;
    const double used = limit * part(random);
    const double rate = 3 * part(random);
    const HalfLifeChange change{kNow, absl::Hours(24) * half_life_days};
    const UsageDecay decay(absl::MakeConstSpan(&change, 1),
                           {.period = daily_reset ? ResetPeriod::kDaily : ResetPeriod::kNone});
    const auto naive = Naive(half_life_days, daily_reset, used, rate, limit, 10);
    const auto time = RunsOut(decay, used, rate, limit, kNow);
    SCOPED_TRACE(testing::Message()
                 << i << ": half-life " << half_life_days << " used " << used << " rate " << rate);
    if (!naive.has_value()) {
      EXPECT_FALSE(time.has_value() && *time < kNow + absl::Hours(9 * 24));
      continue;
    }
    ++found;
    ASSERT_TRUE(time.has_value());
    // A minute of usage at once, and what that does where usage hardly grows.
    EXPECT_NEAR(absl::ToDoubleMinutes(*naive - *time), 0, 60);
  }
  EXPECT_GE(found, 20);
}

TEST(BudgetsTest, OfARelativeQosAreThePartOfTheTotalsThatItsLimitIs) {
  priority::SmallSite site;
  site.qos("high").relative = true;
  site.qos("high").grp_tres_mins = {{"cpu", 50}, {"gres/none", 50}};
  const auto snapshot = site.Build();
  const std::vector<Budget> budgets = AllBudgets(*snapshot);
  ASSERT_EQ(budgets.size(), 1u) << "a TRES without a total is not limited";
  EXPECT_EQ(budgets[0].limit, 32 * kBudgetMinute);  // Of 64 CPUs.
}

TEST(BudgetsTest, ReportTheUsageOfEach) {
  priority::SmallSite site;
  site.association("physics").limits.grp_tres_mins = {{"billing", 100}, {"cpu", 50}};
  site.association("physics").limits.grp_wall = absl::Minutes(30);
  site.qos("high").grp_tres_mins = {{"gres/gpu", 10}};
  site.usage = {{"physics/ann", 50 * kBudgetMinute}, {"physics/bob", 30 * kBudgetMinute}};
  site.source.own_tres_usage["cpu"] = {0, 0, 0, 20 * kBudgetMinute, 0, 7};
  site.source.own_wall_seconds = {0, 0, 0, 5 * kBudgetMinute, 0, 7};
  site.source.qos_usage.resize(2);
  site.source.qos_usage[1].tres_seconds["gres/gpu"] = 3 * kBudgetMinute;
  const auto snapshot = site.Build();
  std::vector<double> used;
  for (const Budget& budget : AllBudgets(*snapshot)) {
    used.push_back(budget.used / kBudgetMinute);
    EXPECT_DOUBLE_EQ(budget.left(), budget.limit - budget.used);
  }
  EXPECT_EQ(used, (std::vector<double>{5, 80, 20, 3}));  // GrpWall, billing, cpu; of the QOS.
}

}  // namespace
}  // namespace priorityd::budgets
