#include "engine/grants/stack_standing.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace priorityd::grants {
namespace {

absl::Time HourOf(int hour) { return absl::FromUnixSeconds(3600 * hour); }

Grant GrantOf(const char* name, int begin, int end, int64_t order = 0) {
  Grant grant;
  grant.name = name;
  grant.begin = HourOf(begin);
  grant.end = HourOf(end);
  grant.order = order;
  return grant;
}

Balance BalanceOf(double granted, double used, double beyond = 0) {
  Balance balance;
  balance.begin = HourOf(0);
  balance.end = HourOf(20);
  balance.granted = Amount::FromMinutes(granted);
  balance.used = Amount::FromMinutes(used);
  balance.beyond = Amount::FromMinutes(beyond);
  return balance;
}

std::optional<StackStanding> At(int hour, const std::vector<Grant>& stack,
                                const std::vector<Balance>& balances) {
  const auto present = [&](size_t i) -> const Balance& { return balances[i]; };
  return StandingOf(stack, present, HourOf(hour));
}

TEST(StackStandingTest, BeforeTheBeginAndFromTheEndOnThereIsNone) {
  const std::vector<Grant> stack = {GrantOf("g", 10, 20)};
  EXPECT_FALSE(At(9, stack, {BalanceOf(60, 0)}).has_value());
  EXPECT_TRUE(At(10, stack, {BalanceOf(60, 0)}).has_value());
  EXPECT_FALSE(At(20, stack, {BalanceOf(60, 0)}).has_value());
}

// 70 of 60 are used of a, which takes nothing from the 30 - 10 and 5 beyond of b.
TEST(StackStandingTest, AnOverdrawnGrantTakesNothingFromAnother) {
  const auto of =
      At(12, {GrantOf("b", 0, 30), GrantOf("a", 0, 20)}, {BalanceOf(30, 10, 5), BalanceOf(60, 70)});
  ASSERT_TRUE(of.has_value());
  EXPECT_EQ(of->last, 0u);
  EXPECT_EQ(of->standing.name, "b");
  EXPECT_EQ(of->standing.used, 80 * 60);
  EXPECT_EQ(of->standing.available, (80 + 25) * 60);
  EXPECT_TRUE(of->standing.has_others);
  EXPECT_TRUE(of->standing.has_borrow);
}

TEST(StackStandingTest, TheOrderGoesBeforeTheEnd) {
  const auto of = At(12, {GrantOf("late", 0, 30, -1), GrantOf("soon", 0, 20)},
                     {BalanceOf(1, 0), BalanceOf(1, 0)});
  EXPECT_EQ(of->standing.name, "soon");
}

TEST(StackStandingTest, AGrantThatAnotherOneFollowsDoesNotEndTheConsequence) {
  const std::vector<Balance> balances = {BalanceOf(1, 0), BalanceOf(1, 0)};
  EXPECT_TRUE(At(12, {GrantOf("g", 0, 20)}, balances)->standing.ends);
  EXPECT_FALSE(At(12, {GrantOf("g", 0, 20), GrantOf("next", 20, 30)}, balances)->standing.ends);
}

}  // namespace
}  // namespace priorityd::grants
