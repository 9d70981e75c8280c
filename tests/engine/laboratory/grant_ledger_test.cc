#include "engine/laboratory/grant_ledger.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
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
    ledger.AdvanceTo(at);
  }
  EXPECT_TRUE(ledger.in_effect()[0].empty());
  at = kBegin + absl::Hours(1);
  ledger.AdvanceTo(at);
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
  ledger.AdvanceTo(later);
  ASSERT_EQ(ledger.in_effect()[0].size(), 1u);
  EXPECT_EQ(ledger.standings()[0].used, 7200);
  const absl::Time next = kBegin + absl::Hours(24 * 31);
  ledger.AdvanceTo(next);
  EXPECT_EQ(ledger.in_effect()[0][0].end, next);
  EXPECT_EQ(ledger.standings()[0].used, 0);
}

// An hour of a CPU costs 0.31, by night 0.11, in `main` from the third hour on 1.7; under q it is
// free. An hour of billing costs 0.05.
grants::PriceBooks PricesByNight() {
  const auto price = [](const char* tres, int64_t per_hour) {
    return grants::PriceRule{.tres = tres, .per_hour = per_hour};
  };
  grants::PriceRule free = price("cpu", 0);
  free.qos = {"q"};
  grants::PriceRule main = price("cpu", 1'700'000'000'000);
  main.partitions = {"main"};
  main.from = kBegin + absl::Hours(3);
  grants::PriceRule night = price("cpu", 110'000'000'000);
  night.hours = 0b111111;
  grants::PriceBook book(
      {{kBegin - absl::Hours(1),
        absl::UTCTimeZone(),
        {free, main, night, price("cpu", 310'000'000'000), price("billing", 50'000'000'000)}}},
      "EUR");
  grants::PriceBooks books;
  books.emplace("price/eur", std::move(book));
  return books;
}

TEST(GrantLedgerTest, MoneyIsTheSumOfThePricesOfEachQuarter) {
  SmallSite small(1, 1, 1);
  small.site.qos.emplace_back().name = "q";
  const Site site = small.Build();
  TriedGrant grant = GrantOfLab("g", 600);
  grant.settings.tres = "price/eur";
  std::mt19937_64 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 20; ++round) {
    GrantLedger ledger(site, absl::UTCTimeZone(), {grant}, kBegin, PricesByNight());
    grants::Amount used;
    for (int i = 0; i < 5; ++i) {
      const Charge charge{.association = site.tree->FindAccount("lab"),
                          .partition = below(2) - 1,
                          .qos = below(3) - 1,
                          .usage_factor = .5,
                          .billing = double(below(9)),
                          .tres = {{"cpu", 1.0 + below(9)}}};
      const int start = below(10 * 3600), end = start + below(10 * 3600);
      ledger.Add(charge, kBegin + absl::Seconds(start), kBegin + absl::Seconds(end));
      for (int at = start; at < end; ++at) {
        const bool in_main = charge.partition == 0 && at >= 3 * 3600;
        const int64_t cpu = charge.qos == 1      ? 0
                            : in_main            ? 1'700'000'000'000
                            : at % 86400 < 21600 ? 110'000'000'000
                                                 : 310'000'000'000;
        const int64_t rate = cpu * static_cast<int64_t>(charge.tres.at("cpu")) +
                             50'000'000'000 * static_cast<int64_t>(charge.billing);
        used += grants::Amount::OfRate(rate, absl::Seconds(1));
      }
    }
    for (absl::Time at = kBegin; at < kBegin + absl::Hours(20); at += absl::Seconds(below(4000))) {
      ledger.AdvanceTo(at);
    }
    const absl::Time last = kBegin + absl::Hours(21);
    ledger.AdvanceTo(last);
    EXPECT_EQ(ledger.standings()[0].used, used.seconds());
    EXPECT_EQ(ledger.in_effect()[0].empty(), used < grants::Amount::FromMinutes(600));
  }
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
    ledger.AdvanceTo(at);
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
      whole.AdvanceTo(at);
      steps.AdvanceTo(at);
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
  ledger.AdvanceTo(before);
  EXPECT_TRUE(ledger.in_effect()[0].empty());
  ledger.AdvanceTo(then);
  EXPECT_EQ(ledger.in_effect()[0].size(), 1u);
  EXPECT_TRUE(ledger.in_effect()[1].empty());
}

}  // namespace
}  // namespace priorityd::laboratory
