#include "engine/laboratory/grant_ledger.h"

#include <algorithm>
#include <vector>

#include "absl/time/civil_time.h"
#include "gtest/gtest.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

TriedGrant GrantOfLab(const char* name, double minutes) {
  TriedGrant grant;
  grant.name = name;
  grant.settings.accounts = {"lab"};
  grant.settings.tres = "cpu";
  grant.settings.grant.begin = kBegin;
  grant.settings.grant.versions = {{kBegin, grants::Amount::FromMinutes(minutes)}};
  grant.settings.consequence = priority::GrantConsequence::kBand;
  return grant;
}

// A tenth of a CPU, which no double is, in steps of a second is six minutes after an hour.
TEST(GrantLedgerTest, StepsAddUpToTheWholeExactly) {
  const Site site = SmallSite(1, 1, 1).Build();
  GrantLedger ledger(site, absl::UTCTimeZone(), {GrantOfLab("g", 6)}, kBegin);
  const priority::AssociationIndex lab = site.tree->FindAccount("lab");
  ledger.Add({.association = lab, .usage_factor = .1, .tres = {{"cpu", 1}}}, kBegin,
             kBegin + absl::Hours(1));
  absl::Time at = kBegin;
  for (int second = 1; second < 3600; ++second) {
    at = kBegin + absl::Seconds(second);
    ledger.AdvanceTo(at, at);
  }
  EXPECT_TRUE(ledger.in_effect()[0].empty());
  at = kBegin + absl::Hours(1);
  ledger.AdvanceTo(at, at);
  EXPECT_EQ(ledger.standings()[0].used, 360);
  ASSERT_EQ(ledger.in_effect()[0].size(), 1u);
  EXPECT_EQ(ledger.in_effect()[0][0].begin, at);
}

// kBegin is within a calendar month, which ends in less than 31 days.
TEST(GrantLedgerTest, ANewWindowEndsTheConsequence) {
  const Site site = SmallSite(1, 1, 1).Build();
  TriedGrant grant = GrantOfLab("g", 60);
  grant.settings.grant.window = grants::WindowKind::kMonth;
  GrantLedger ledger(site, absl::UTCTimeZone(), {grant}, kBegin);
  ledger.Add({.association = site.tree->FindAccount("lab"), .tres = {{"cpu", 1}}}, kBegin,
             kBegin + absl::Hours(2));
  const absl::Time later = kBegin + absl::Hours(3);
  ledger.AdvanceTo(later, later);
  ASSERT_EQ(ledger.in_effect()[0].size(), 1u);
  EXPECT_EQ(ledger.standings()[0].used, 7200);
  const absl::Time next = kBegin + absl::Hours(24 * 31);
  ledger.AdvanceTo(next, next);
  EXPECT_EQ(ledger.in_effect()[0][0].end, next);
  EXPECT_EQ(ledger.standings()[0].used, 0);
}

// What a job from kBegin to `end` has used today and yesterday, at `now`, in seconds.
double UsedInTwoDays(absl::Time end, absl::Time now) {
  const absl::CivilDay yesterday = absl::ToCivilDay(now, absl::UTCTimeZone()) - 1;
  const absl::Time from = std::max(kBegin, absl::FromCivil(yesterday, absl::UTCTimeZone()));
  return absl::ToDoubleSeconds(std::max(std::min(end, now) - from, absl::ZeroDuration()));
}

TEST(GrantLedgerTest, ARollingGrantForgetsTheDaysBeforeItsWindow) {
  const Site site = SmallSite(1, 1, 1).Build();
  TriedGrant grant = GrantOfLab("g", 6000);
  grant.settings.grant.window = grants::WindowKind::kRolling;
  grant.settings.grant.rolling_days = 2;
  grant.settings.grant.end = kBegin + absl::Hours(24 * 6);
  GrantLedger ledger(site, absl::UTCTimeZone(), {grant}, kBegin);
  const absl::Time end = kBegin + absl::Hours(55);
  ledger.Add({.association = site.tree->FindAccount("lab"), .tres = {{"cpu", 1}}}, kBegin, end);
  for (int hour = 1; hour < 24 * 6; ++hour) {
    const absl::Time at = kBegin + absl::Hours(hour);
    ledger.AdvanceTo(at, at);
    EXPECT_EQ(ledger.standings()[0].used, UsedInTwoDays(end, at)) << hour;
  }
}

// Also where recalculations are further apart than windows.
TEST(GrantLedgerTest, StepsFindTheWindowsOfTheWhole) {
  const Site site = SmallSite(1, 1, 1).Build();
  TriedGrant monthly = GrantOfLab("monthly", 6000);
  monthly.settings.grant.window = grants::WindowKind::kMonth;
  monthly.settings.grant.end = kBegin + absl::Hours(24 * 200);
  TriedGrant late = GrantOfLab("late", 600);
  late.settings.grant.begin = kBegin + absl::Hours(24 * 40);
  const absl::Time end = kBegin + absl::Hours(24 * 300);
  for (const int days : {1, 7, 50, 110}) {
    GrantLedger steps(site, absl::UTCTimeZone(), {monthly, late}, kBegin);
    steps.Add({.association = site.tree->FindAccount("lab"), .tres = {{"cpu", 1}}}, kBegin, end);
    for (absl::Time at = kBegin; at <= end; at += absl::Hours(24 * days)) {
      GrantLedger whole(site, absl::UTCTimeZone(), {monthly, late}, kBegin);
      whole.Add({.association = site.tree->FindAccount("lab"), .tres = {{"cpu", 1}}}, kBegin, end);
      whole.AdvanceTo(at, at);
      steps.AdvanceTo(at, at);
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(steps.standings()[i].used, whole.standings()[i].used) << days;
      }
    }
  }
}

TEST(GrantLedgerTest, ASecondGrantOfTheOwnerIsUsedAfterTheFirst) {
  const Site site = SmallSite(1, 1, 1).Build();
  TriedGrant boost = GrantOfLab("boost", 30);
  boost.settings.grant.order = -1;
  GrantLedger ledger(site, absl::UTCTimeZone(), {GrantOfLab("g", 60), boost}, kBegin);
  ledger.Add({.association = site.tree->FindAccount("lab"), .tres = {{"cpu", 1}}}, kBegin,
             kBegin + absl::Hours(2));
  const absl::Time before = kBegin + absl::Minutes(89), then = kBegin + absl::Minutes(90);
  ledger.AdvanceTo(before, before);
  EXPECT_TRUE(ledger.in_effect()[0].empty());
  ledger.AdvanceTo(then, then);
  EXPECT_EQ(ledger.in_effect()[0].size(), 1u);
  EXPECT_TRUE(ledger.in_effect()[1].empty());
}

}  // namespace
}  // namespace priorityd::laboratory
