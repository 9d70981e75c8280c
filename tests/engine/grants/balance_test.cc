#include "engine/grants/balance.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace priorityd::grants {
namespace {

constexpr int64_t kPercent = 10'000;

Amount Minutes(double minutes) { return Amount::FromMinutes(minutes); }

// Days of 2026 in UTC: `Day(1)` is the first of January, `Day(32)` of February.
absl::Time Day(int day) {
  return absl::FromCivil(absl::CivilDay(2026, 1, 1), absl::UTCTimeZone()) +
         absl::Hours(24) * (day - 1);
}
absl::Time Month(int month) {
  return absl::FromCivil(absl::CivilMonth(2026, 1) + (month - 1), absl::UTCTimeZone());
}

// 1000 TRES-minutes a month of 2026 and later.
Grant Monthly() {
  Grant grant;
  grant.name = "monthly";
  grant.begin = Month(1);
  grant.window = WindowKind::kMonth;
  grant.versions = {{Month(1), Minutes(1000)}};
  return grant;
}

// The usage of each month, from January on.
std::vector<Period> UsedInMonths(const std::vector<double>& minutes) {
  std::vector<Period> periods;
  for (size_t i = 0; i < minutes.size(); ++i) {
    const int month = static_cast<int>(i) + 1;
    periods.push_back({Month(month), Month(month + 1), Minutes(minutes[i])});
  }
  return periods;
}

std::vector<Balance> BalancesOf(const Grant& grant, const std::vector<Period>& periods,
                                absl::Time now) {
  return BalancesOf({&grant, 1}, periods, absl::UTCTimeZone(), now)[0];
}

// After those months, in the month after them.
std::vector<Balance> AfterMonths(const Grant& grant, const std::vector<double>& minutes) {
  return BalancesOf(grant, UsedInMonths(minutes), Month(static_cast<int>(minutes.size()) + 1));
}

TEST(BalanceTest, WithoutRulesEachWindowHasItsAmount) {
  const auto balances = AfterMonths(Monthly(), {300, 1200});
  ASSERT_EQ(balances.size(), 3);
  EXPECT_EQ(balances[0].left(), Minutes(700));
  EXPECT_EQ(balances[1].left(), Minutes(-200));
  EXPECT_EQ(balances[2].available(), Minutes(1000));
  EXPECT_EQ(balances[2].begin, Month(3));
  EXPECT_EQ(balances[2].end, Month(4));
}

TEST(BalanceTest, IsExhaustedWhenNothingIsLeftWithTheGrace) {
  Grant grant = Monthly();
  EXPECT_FALSE(AfterMonths(grant, {999.999})[0].exhausted());
  EXPECT_TRUE(AfterMonths(grant, {1000})[0].exhausted());
  grant.grace = 20 * kPercent;
  EXPECT_EQ(AfterMonths(grant, {1000})[0].beyond, Minutes(200));
  EXPECT_FALSE(AfterMonths(grant, {1199.999})[0].exhausted());
  EXPECT_TRUE(AfterMonths(grant, {1200})[0].exhausted());
}

TEST(BalanceTest, APartOfWhatIsLeftIsCarriedOver) {
  Grant grant = Monthly();
  grant.carry_over = 10 * kPercent;
  const auto balances = AfterMonths(grant, {300, 1100});
  EXPECT_EQ(balances[1].carried, Minutes(70));
  EXPECT_EQ(balances[1].available(), Minutes(1070));
  EXPECT_EQ(balances[2].carried, Amount()) << "nothing was left";
}

TEST(BalanceTest, WhatIsCarriedIsUsedFirstAndExpires) {
  Grant grant = Monthly();
  grant.carry_over = 50 * kPercent;
  // 500 are carried to February, where 200 of them are used: 1000 of its own are left.
  EXPECT_EQ(AfterMonths(grant, {0, 200})[2].carried, Minutes(500));
  // All 500 and 100 of its own.
  EXPECT_EQ(AfterMonths(grant, {0, 600})[2].carried, Minutes(450));
}

TEST(BalanceTest, AnAmountThatIsCarriedTwiceIsMultipliedTwice) {
  Grant grant = Monthly();
  grant.carry_over = 50 * kPercent;
  grant.carry_windows = 2;
  const auto balances = AfterMonths(grant, {0, 0, 0});
  EXPECT_EQ(balances[1].carried, Minutes(500));
  EXPECT_EQ(balances[2].carried, Minutes(500 + 250));
  EXPECT_EQ(balances[3].carried, Minutes(500 + 250)) << "that of January has expired";
  // February: the 500 of January first, then 100 of its own. March: 450.
  EXPECT_EQ(AfterMonths(grant, {0, 600})[2].carried, Minutes(450));
  // February leaves 300 of January's.
  EXPECT_EQ(AfterMonths(grant, {0, 200})[2].carried, Minutes(500 + 150));
}

TEST(BalanceTest, ACapIsAPartOfTheNextAmountAndCutsTheOldest) {
  Grant grant = Monthly();
  grant.carry_over = 100 * kPercent;
  grant.carry_cap = 120 * kPercent;
  grant.carry_windows = 2;
  const auto balances = AfterMonths(grant, {0, 0, 1500});
  EXPECT_EQ(balances[1].carried, Minutes(1000));
  EXPECT_EQ(balances[2].carried, Minutes(1200)) << "1000 of February, 200 of January";
  // 1500 use the 200 of January, the 1000 of February and 300 of March.
  EXPECT_EQ(balances[3].carried, Minutes(700));
  grant.versions.push_back({Month(2), Minutes(100)});
  EXPECT_EQ(AfterMonths(grant, {0})[1].carried, Minutes(120));
}

TEST(BalanceTest, UsageDecaysForWhatIsCarriedOnly) {
  Grant grant = Monthly();
  grant.carry_over = 100 * kPercent;
  grant.carry_half_life = absl::Hours(31 * 24);
  const auto balances = AfterMonths(grant, {1600, 0});
  EXPECT_EQ(balances[0].left(), Minutes(-600));
  EXPECT_EQ(balances[1].carried, Minutes(200)) << "1600 count as 800 after a half-life";
}

TEST(BalanceTest, WhatIsBorrowedIsRepaidUpToItsPart) {
  Grant grant = Monthly();
  grant.borrow = 10 * kPercent;
  grant.grace = 20 * kPercent;
  const auto balances = AfterMonths(grant, {1050, 1000, 5000});
  EXPECT_EQ(balances[0].beyond, Minutes(300));
  EXPECT_EQ(balances[1].repaid, Minutes(50));
  EXPECT_EQ(balances[1].available(), Minutes(950));
  EXPECT_EQ(balances[2].repaid, Minutes(50)) << "50 beyond the 950";
  EXPECT_EQ(balances[3].repaid, Minutes(100)) << "not the grace, nor what is beyond it";
}

TEST(BalanceTest, BorrowsOfTheNextAmountNotOfItsOwn) {
  Grant grant = Monthly();
  grant.borrow = 10 * kPercent;
  grant.versions.push_back({Month(2), Minutes(3000)});
  const auto balances = AfterMonths(grant, {5000});
  EXPECT_EQ(balances[0].beyond, Minutes(300));
  EXPECT_EQ(balances[1].repaid, Minutes(300));
}

TEST(BalanceTest, NothingIsBorrowedInTheLastWindow) {
  Grant grant = Monthly();
  grant.borrow = 10 * kPercent;
  grant.end = Day(32 + 14);
  const auto balances = AfterMonths(grant, {0});
  EXPECT_EQ(balances[0].beyond, Minutes(100)) << "February has the whole amount";
  EXPECT_EQ(balances[1].beyond, Amount());
  EXPECT_EQ(balances[1].end, Day(32 + 14));
  EXPECT_EQ(AfterMonths(grant, {0, 0, 0, 0}).size(), 2) << "long after its end";
}

TEST(BalanceTest, AVersionCountsForTheWholeWindowOfItsTime) {
  Grant grant = Monthly();
  grant.versions = {{Day(15), Minutes(100)},
                    {Month(2) + absl::Hours(500), Minutes(200)},
                    {Month(4), Minutes(300)},
                    {Month(4) + absl::Hours(1), Minutes(400)}};
  const auto balances = AfterMonths(grant, {0, 0, 0, 0});
  const std::vector<double> expected = {100, 200, 200, 400, 400};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(balances[i].granted, Minutes(expected[i]));
}

TEST(BalanceTest, ATransferBelongsToTheWindowOfItsTimeAndIsCarried) {
  Grant grant = Monthly();
  grant.carry_over = 50 * kPercent;
  grant.transfers = {{Month(2), Minutes(100)},
                     {Month(2) - absl::Microseconds(1), Minutes(-400)},
                     {Month(1) - absl::Microseconds(1), Minutes(7)},
                     {Month(2) + absl::Hours(30), Minutes(11)}};
  const auto balances = AfterMonths(grant, {0});
  EXPECT_EQ(balances[0].transferred, Minutes(-400));
  EXPECT_EQ(balances[0].left(), Minutes(600));
  EXPECT_EQ(balances[1].transferred, Minutes(111));
  EXPECT_EQ(balances[1].carried, Minutes(300));
}

TEST(BalanceTest, MoreTakenThanThereWasIsOverdrawn) {
  Grant grant = Monthly();
  grant.borrow = 50 * kPercent;
  grant.transfers = {{Month(1), Minutes(-1300)}};
  const auto balances = AfterMonths(grant, {0});
  EXPECT_EQ(balances[0].available(), Minutes(-300));
  EXPECT_EQ(balances[0].left() + balances[0].beyond, Minutes(200)) << "still to be borrowed";
  EXPECT_EQ(balances[1].repaid, Minutes(300));
}

TEST(BalanceTest, AnOverdraftLeavesNothingOfWhatWasCarried) {
  Grant grant = Monthly();
  grant.carry_over = 100 * kPercent;
  grant.carry_windows = 3;
  grant.transfers = {{Month(2), Minutes(-1500)}};
  // 800 come from January; February has -500 of its own.
  const auto balances = AfterMonths(grant, {200, 0});
  EXPECT_EQ(balances[1].available(), Minutes(300));
  EXPECT_EQ(balances[2].carried, Minutes(300));
}

TEST(BalanceTest, AFixedGrantHasOneWindow) {
  Grant grant = Monthly();
  grant.window = WindowKind::kFixed;
  const auto balances = AfterMonths(grant, {300, 300, 300});
  ASSERT_EQ(balances.size(), 1);
  EXPECT_EQ(balances[0].left(), Minutes(100));
  EXPECT_EQ(balances[0].end, absl::InfiniteFuture());
  EXPECT_EQ(BalancesOf(grant, {}, Month(1) - absl::Microseconds(1)).size(), 0);
}

TEST(BalanceTest, ARollingGrantCountsItsLastDays) {
  Grant grant = Monthly();
  grant.window = WindowKind::kRolling;
  grant.rolling_days = 3;
  std::vector<Period> periods;
  for (int day = 1; day <= 10; ++day) periods.push_back({Day(day), Day(day + 1), Minutes(day)});
  const auto balances = BalancesOf(grant, periods, Day(10) + absl::Hours(5));
  ASSERT_EQ(balances.size(), 1);
  EXPECT_EQ(balances[0].used, Minutes(8 + 9 + 10));
  EXPECT_EQ(balances[0].begin, Day(8));
}

TEST(BalanceTest, PeriodsAfterNowAndOutsideOfTheGrantDoNotCount) {
  Grant grant = Monthly();
  grant.begin = Month(2);
  grant.end = Month(3);
  const auto balances = BalancesOf(grant, UsedInMonths({10, 20, 40}), Month(3));
  ASSERT_EQ(balances.size(), 1);
  EXPECT_EQ(balances[0].used, Minutes(20));
  EXPECT_EQ(BalancesOf(Monthly(), UsedInMonths({10, 20, 40}), Day(3))[0].used, Minutes(10));
}

// --- Stacks ------------------------------------------------------------------------

// A monthly grant used first, and one for the year that may go 10% beyond.
std::vector<Grant> Stack() {
  Grant yearly = Monthly();
  yearly.name = "yearly";
  yearly.window = WindowKind::kYear;
  yearly.order = 5;
  yearly.versions[0].amount = Minutes(5000);
  yearly.grace = 10 * kPercent;
  Grant monthly = Monthly();
  monthly.grace = 10 * kPercent;
  return {yearly, monthly};
}

std::vector<std::vector<Balance>> OfStack(const std::vector<Grant>& stack,
                                          const std::vector<double>& minutes) {
  return BalancesOf(stack, UsedInMonths(minutes), absl::UTCTimeZone(),
                    Month(static_cast<int>(minutes.size())));
}

TEST(StackTest, TheSmallestOrderIsUsedFirstInEachWindow) {
  const auto balances = OfStack(Stack(), {700, 2500});
  EXPECT_EQ(balances[1][0].used, Minutes(700));
  EXPECT_EQ(balances[1][1].used, Minutes(1000));
  EXPECT_EQ(balances[0][0].used, Minutes(1500));
}

TEST(StackTest, WhatIsLeftAnywhereGoesBeforeWhatIsBeyond) {
  // 1000 + 5000 are left, then 100 and 500 beyond, then the last one.
  EXPECT_EQ(OfStack(Stack(), {6000})[1][0].used, Minutes(1000));
  EXPECT_EQ(OfStack(Stack(), {6050})[1][0].used, Minutes(1050));
  EXPECT_EQ(OfStack(Stack(), {6200})[0][0].used, Minutes(5100));
  const auto beyond = OfStack(Stack(), {9000});
  EXPECT_EQ(beyond[1][0].used, Minutes(1100));
  EXPECT_EQ(beyond[0][0].used, Minutes(7900));
  EXPECT_TRUE(beyond[0][0].exhausted());
}

TEST(StackTest, OfTheSameOrderTheFirstToEndIsFirstThenTheName) {
  auto stack = Stack();
  stack[0].order = 0;
  EXPECT_EQ(OfStack(stack, {100})[1][0].used, Minutes(100)) << "monthly before yearly";
  stack[0].end = Month(30);
  EXPECT_EQ(OfStack(stack, {100})[0][0].used, Minutes(100)) << "the yearly one ends first";
}

TEST(StackTest, OnlyGrantsThatCoverThePeriodHaveItsUsage) {
  auto stack = Stack();
  stack[1].begin = Month(2);
  stack[1].end = Month(3);
  const auto balances = OfStack(stack, {100, 100, 100});
  EXPECT_EQ(balances[0][0].used, Minutes(200));
  ASSERT_EQ(balances[1].size(), 1);
  EXPECT_EQ(balances[1][0].used, Minutes(100));
}

TEST(StackTest, IsTheSameInAnyOrderOfItsGrants) {
  auto stack = Stack();
  const auto balances = OfStack(stack, {700, 2500});
  std::swap(stack[0], stack[1]);
  const auto swapped = OfStack(stack, {700, 2500});
  EXPECT_EQ(swapped[0], balances[1]);
  EXPECT_EQ(swapped[1], balances[0]);
}

TEST(StackTest, OfNothingIsNothing) {
  EXPECT_EQ(BalancesOf({}, UsedInMonths({1}), absl::UTCTimeZone(), Month(2)).size(), 0);
}

}  // namespace
}  // namespace priorityd::grants
