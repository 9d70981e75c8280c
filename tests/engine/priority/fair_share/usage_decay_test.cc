#include "engine/priority/fair_share/usage_decay.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <random>

#include "absl/time/civil_time.h"
#include "tests/times.h"

namespace priorityd::priority {
namespace {

constexpr absl::Duration kDay = absl::Hours(24);
const absl::Time kT0 = absl::FromUnixSeconds(1700000000);

absl::Time At(int64_t seconds) { return kT0 + absl::Seconds(seconds); }

UsageDecay Steady(absl::Duration half_life) { return UsageDecay({{kT0, half_life}}, ResetRule()); }

// A week, a day, for ever, an hour, by the seconds at which they begin.
UsageDecay Changing(ResetRule reset = ResetRule()) {
  return UsageDecay({{At(-5 * 86400), 7 * kDay},
                     {At(0), kDay},
                     {At(40000), absl::InfiniteDuration()},
                     {At(80000), absl::Hours(1)}},
                    reset);
}

void ExpectRelative(double got, double want, double tolerance = 1e-12) {
  EXPECT_LE(std::abs(got - want), tolerance * std::abs(want)) << got << " for " << want;
}

TEST(CarryTest, HalfIsLeftAfterAHalfLife) {
  EXPECT_DOUBLE_EQ(Steady(kDay).Carry(8, At(0), At(86400)), 4);
  EXPECT_DOUBLE_EQ(Steady(kDay).Carry(8, At(0), At(3 * 86400)), 1);
}

TEST(CarryTest, NothingDecaysWithoutAHalfLife) {
  for (const absl::Duration half_life : {absl::ZeroDuration(), absl::InfiniteDuration()}) {
    EXPECT_EQ(Steady(half_life).Carry(8, At(0), At(86400 * 3650)), 8);
  }
  EXPECT_EQ(UsageDecay({}, ResetRule()).Carry(8, At(0), At(86400)), 8);
}

TEST(CarryTest, EachStretchDecaysWithItsOwnHalfLife) {
  // 3.5 days of a week's half-life, 40000 s of a day's, 40000 s of none, 2 h of an hour's.
  const double want = 100 * std::exp2(-0.5 - 40000.0 / 86400 - 2);
  ExpectRelative(Changing().Carry(100, At(-302400), At(87200)), want);
}

TEST(CarryTest, TheFirstHalfLifeHoldsBeforeItsTimeToo) {
  EXPECT_DOUBLE_EQ(Changing().Carry(8, At(-12 * 86400), At(-5 * 86400)), 4);
}

TEST(CarryTest, InTwoStepsIsAsInOne) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> second(-600000, 100000);
  const UsageDecay decay = Changing();
  for (int i = 0; i < 2000; ++i) {
    int64_t t[] = {second(random), second(random), second(random)};
    std::sort(t, t + 3);
    ExpectRelative(decay.Carry(decay.Carry(1e6, At(t[0]), At(t[1])), At(t[1]), At(t[2])),
                   decay.Carry(1e6, At(t[0]), At(t[2])));
  }
}

TEST(CarryTest, BackInTimeIsTheInverse) {
  const UsageDecay decay = Changing();
  ExpectRelative(decay.Carry(decay.Carry(50, At(-90000), At(85000)), At(85000), At(-90000)), 50);
}

TEST(CarryTest, AColumnIsCarriedLikeItsRows) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int64_t> second(-600000, 100000);
  ResetRule reset{ResetPeriod::kNow, At(-100000)};
  const UsageDecay decay = Changing(reset);
  std::vector<double> values;
  std::vector<absl::Time> from;
  for (int i = 0; i < 500; ++i) {
    values.push_back(i);
    from.push_back(At(second(random)));
  }
  std::vector<double> column = values;
  decay.CarryAll(absl::MakeSpan(column), from, At(70000));
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(column[i], decay.Carry(values[i], from[i], At(70000)));
  }
}

TEST(CarryTest, TheVanishinglySmallIsZeroAndTheHugeIsFinite) {
  const UsageDecay decay = Steady(absl::Seconds(1));
  EXPECT_EQ(decay.Carry(1, At(0), At(1000)), std::exp2(-1000));
  EXPECT_EQ(decay.Carry(1, At(0), At(1023)), 0);
  EXPECT_EQ(decay.Carry(1, At(5000), At(0)), DBL_MAX);
  EXPECT_EQ(decay.Carry(0, At(5000), At(0)), 0);
}

TEST(CarryTest, ARowFromBeforeTheLastResetIsZero) {
  const UsageDecay decay({{kT0, kDay}}, ResetRule{ResetPeriod::kNow, At(100)});
  EXPECT_EQ(decay.Carry(8, At(99), At(100)), 0);
  EXPECT_EQ(decay.Carry(8, At(99), At(86499)), 0);
  EXPECT_EQ(decay.Carry(8, At(100), At(86500)), 4);
  EXPECT_GT(decay.Carry(8, At(0), At(99)), 0);
}

TEST(IntervalTest, IsTheClosedFormOfOneHalfLife) {
  // A day of 3 units per second, looked at a day later: (3 * HL / ln 2) * 1/2 * 1/2.
  ExpectRelative(Steady(kDay).Interval(3, At(0), At(86400), At(172800)),
                 3 * 86400 / std::log(2) / 4);
}

TEST(IntervalTest, WithoutDecayIsRateTimesSeconds) {
  EXPECT_EQ(Steady(absl::InfiniteDuration()).Interval(3, At(0), At(1000), At(90000)), 3000);
}

TEST(IntervalTest, OnlyTheStretchBeforeTheMomentCounts) {
  const UsageDecay decay = Steady(kDay);
  EXPECT_EQ(decay.Interval(3, At(0), At(5000), At(2000)),
            decay.Interval(3, At(0), At(2000), At(2000)));
  EXPECT_EQ(decay.Interval(3, At(0), At(5000), At(0)), 0);
  EXPECT_EQ(decay.Interval(3, At(0), At(5000), At(-10)), 0);
  EXPECT_EQ(decay.Interval(3, At(100), At(100), At(200)), 0);
}

// Simpson's rule over steps that end where the half-life changes.
double NaiveIntegral(const UsageDecay& decay, double rate, int64_t start, int64_t end, int64_t at,
                     int64_t step) {
  double sum = 0;
  for (int64_t t = start; t < end; t += step) {
    const auto weight = [&](double seconds) {
      return decay.Carry(rate, kT0 + absl::Seconds(seconds), At(at));
    };
    sum += (weight(t) + 4 * weight(t + step / 2.0) + weight(t + step)) / 6 * step;
  }
  return sum;
}

TEST(IntervalTest, AgreesWithANaiveIntegralOverTheTimeline) {
  const UsageDecay decay = Changing();
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> step(-6000, 900);
  for (int i = 0; i < 100; ++i) {
    int64_t t[] = {step(random) * 100, step(random) * 100, step(random) * 100};
    std::sort(t, t + 3);
    ExpectRelative(decay.Interval(2.5, At(t[0]), At(t[1]), At(t[2])),
                   NaiveIntegral(decay, 2.5, t[0], t[1], t[2], 100), 1e-9);
  }
}

TEST(IntervalTest, PiecesInAnyOrderMakeTheWhole) {
  const UsageDecay decay = Changing();
  const double whole = decay.Interval(7, At(-400000), At(90000), At(95000));
  const double pieces = decay.Interval(7, At(50000), At(90000), At(95000)) +
                        decay.Interval(7, At(-400000), At(-1), At(95000)) +
                        decay.Interval(7, At(-1), At(50000), At(95000));
  ExpectRelative(pieces, whole);
}

TEST(IntervalTest, CountedEarlyAndCarriedOnIsAsCountedLate) {
  const UsageDecay decay = Changing();
  const double early = decay.Interval(7, At(-400000), At(30000), At(35000));
  ExpectRelative(decay.Carry(early, At(35000), At(95000)),
                 decay.Interval(7, At(-400000), At(30000), At(95000)));
}

TEST(IntervalTest, ARecordThatStraddlesAResetCountsItsLaterPart) {
  const UsageDecay reset({{kT0, kDay}}, ResetRule{ResetPeriod::kNow, At(600)});
  const UsageDecay none = Steady(kDay);
  EXPECT_EQ(reset.Interval(2, At(0), At(1000), At(5000)),
            none.Interval(2, At(600), At(1000), At(5000)));
  EXPECT_EQ(reset.Interval(2, At(0), At(600), At(5000)), 0);
  EXPECT_EQ(reset.Interval(2, At(0), At(500), At(599)), none.Interval(2, At(0), At(500), At(599)));
}

ResetRule Every(ResetPeriod period, const char* zone) {
  ResetRule rule;
  rule.period = period;
  rule.time_zone = NamedZone(zone);
  return rule;
}

std::string LocalLastReset(ResetPeriod period, const char* zone, absl::CivilSecond local) {
  const ResetRule rule = Every(period, zone);
  return absl::FormatTime("%a %F %T %z", LastReset(rule, absl::FromCivil(local, rule.time_zone)),
                          rule.time_zone);
}

TEST(LastResetTest, NoneIsNeverAndNowIsOnce) {
  EXPECT_EQ(LastReset(ResetRule(), At(0)), absl::InfinitePast());
  const ResetRule now{ResetPeriod::kNow, At(100)};
  EXPECT_EQ(LastReset(now, At(99)), absl::InfinitePast());
  EXPECT_EQ(LastReset(now, At(100)), At(100));
  EXPECT_EQ(LastReset(now, At(1000000)), At(100));
}

TEST(LastResetTest, AFloorAheadCountsFromItsOwnTime) {
  ResetRule rule;
  rule.floor = At(130);
  EXPECT_EQ(LastReset(rule, At(129)), absl::InfinitePast());
  EXPECT_EQ(LastReset(rule, At(130)), At(130));
  rule.floor_from = At(100);
  EXPECT_EQ(LastReset(rule, At(99)), absl::InfinitePast());
  EXPECT_EQ(LastReset(rule, At(100)), At(130));
  const UsageDecay decay({}, rule);
  EXPECT_EQ(decay.Carry(7, At(130), At(120)), 7) << "used at the floor itself";
  EXPECT_EQ(decay.Carry(7, At(90), At(120)), 0);
  EXPECT_EQ(decay.Interval(1, At(0), At(140), At(120)), 0);
  EXPECT_EQ(decay.Interval(1, At(0), At(140), At(150)), 10);
}

TEST(LastResetTest, AnIntervalRunsFromItsAnchor) {
  const ResetRule rule{ResetPeriod::kInterval, At(50), 28 * kDay};
  EXPECT_EQ(LastReset(rule, At(50)), absl::InfinitePast());
  EXPECT_EQ(LastReset(rule, At(49 + 28 * 86400)), absl::InfinitePast());
  EXPECT_EQ(LastReset(rule, At(50 + 28 * 86400)), At(50 + 28 * 86400));
  EXPECT_EQ(LastReset(rule, At(49 + 84 * 86400)), At(50 + 56 * 86400));
}

TEST(LastResetTest, CalendarPeriodsBeginWhereTheCalendarSays) {
  const absl::CivilSecond noon(2026, 11, 20, 12, 0, 0);  // A Friday.
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, "UTC", noon), "Fri 2026-11-20 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kWeekly, "UTC", noon), "Sun 2026-11-15 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kMonthly, "UTC", noon), "Sun 2026-11-01 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kQuarterly, "UTC", noon), "Thu 2026-10-01 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kYearly, "UTC", noon), "Thu 2026-01-01 00:00:00 +0000");
}

TEST(LastResetTest, TheBoundaryItselfIsAReset) {
  const absl::CivilSecond sunday(2026, 11, 15, 0, 0, 0);
  EXPECT_EQ(LocalLastReset(ResetPeriod::kWeekly, "UTC", sunday), "Sun 2026-11-15 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kWeekly, "UTC", sunday - 1),
            "Sun 2026-11-08 00:00:00 +0000");
}

TEST(LastResetTest, QuartersBeginInJanuaryAprilJulyOctober) {
  const char* const kWant[] = {"01", "01", "01", "04", "04", "04",
                               "07", "07", "07", "10", "10", "10"};
  const ResetRule rule = Every(ResetPeriod::kQuarterly, "UTC");
  for (int month = 1; month <= 12; ++month) {
    const absl::Time end = absl::FromCivil(absl::CivilMonth(2027, month + 1), rule.time_zone);
    EXPECT_EQ(absl::FormatTime("%Y-%m-%d", LastReset(rule, end - absl::Seconds(1)), rule.time_zone),
              std::string("2027-") + kWant[month - 1] + "-01");
  }
}

TEST(LastResetTest, ALeapDayIsADayOfFebruary) {
  const absl::CivilSecond leap(2028, 2, 29, 23, 59, 59);
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, "UTC", leap), "Tue 2028-02-29 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kMonthly, "UTC", leap), "Tue 2028-02-01 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kMonthly, "UTC", leap + 1),
            "Wed 2028-03-01 00:00:00 +0000");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kWeekly, "UTC", absl::CivilSecond(2028, 3, 1)),
            "Sun 2028-02-27 00:00:00 +0000");
}

TEST(LastResetTest, TheDaysOfClockChangesHaveOneMidnightEach) {
  // 2026-10-25 has 25 hours in Berlin, 2026-03-29 has 23.
  const char* const zone = "Europe/Berlin";
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, zone, absl::CivilSecond(2026, 10, 25, 23, 30, 0)),
            "Sun 2026-10-25 00:00:00 +0200");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, zone, absl::CivilSecond(2026, 10, 26, 0, 30, 0)),
            "Mon 2026-10-26 00:00:00 +0100");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, zone, absl::CivilSecond(2026, 3, 29, 23, 30, 0)),
            "Sun 2026-03-29 00:00:00 +0100");
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, zone, absl::CivilSecond(2026, 3, 30, 0, 0, 0)),
            "Mon 2026-03-30 00:00:00 +0200");
}

TEST(LastResetTest, ADayWithoutMidnightBeginsWithTheClockChange) {
  EXPECT_EQ(LocalLastReset(ResetPeriod::kDaily, "America/Sao_Paulo",
                           absl::CivilSecond(2017, 10, 15, 12, 0, 0)),
            "Sun 2017-10-15 01:00:00 -0200");
}

TEST(LastResetTest, NeverGoesBackWhereTheClockDoes) {
  // St. John's went from 00:01 to 23:01 of the day before until 2010.
  for (const char* name : {"America/St_Johns", "America/Sao_Paulo", "America/Havana", "Asia/Beirut",
                           "Pacific/Apia", "Australia/Lord_Howe"}) {
    const ResetRule rule = Every(ResetPeriod::kDaily, name);
    absl::Time before = absl::InfinitePast();
    const absl::Time begin = absl::FromCivil(absl::CivilDay(2010, 1, 1), rule.time_zone);
    for (absl::Time t = begin; t < begin + 800 * kDay; t += absl::Minutes(10)) {
      const absl::Time reset = LastReset(rule, t);
      ASSERT_GE(reset, before) << name << " " << t;
      ASSERT_LE(reset, t);
      ASSERT_LT(t - reset, absl::Hours(26));
      before = reset;
    }
  }
}

// Walks back minute by minute to where the local day becomes another.
absl::Time NaiveBeginningOfDay(absl::Time time, const absl::TimeZone& zone) {
  const absl::CivilDay day = absl::ToCivilDay(time, zone);
  while (absl::ToCivilDay(time - absl::Minutes(1), zone) == day) time -= absl::Minutes(1);
  return time;
}

TEST(LastResetTest, AgreesWithANaiveWalkThroughTheDay) {
  for (const char* name : {"Europe/Berlin", "America/Sao_Paulo", "America/Havana",
                           "Australia/Lord_Howe", "Asia/Kathmandu"}) {
    const ResetRule rule = Every(ResetPeriod::kDaily, name);
    const absl::Time begin = absl::FromCivil(absl::CivilDay(2017, 1, 1), rule.time_zone);
    for (absl::Time t = begin; t < begin + 366 * kDay; t += absl::Minutes(611)) {
      ASSERT_EQ(LastReset(rule, t), NaiveBeginningOfDay(t, rule.time_zone)) << name << " " << t;
    }
  }
}

TEST(LastResetTest, EveryPeriodBeginsOnItsFirstDay) {
  const absl::TimeZone utc = absl::UTCTimeZone();
  std::mt19937 random(5);
  std::uniform_int_distribution<int64_t> second(0, 4000000000);
  for (int i = 0; i < 3000; ++i) {
    const absl::Time t = absl::FromUnixSeconds(second(random));
    const absl::CivilDay week(
        absl::ToCivilDay(LastReset(Every(ResetPeriod::kWeekly, "UTC"), t), utc));
    EXPECT_EQ(absl::GetWeekday(week), absl::Weekday::sunday);
    EXPECT_LT(absl::ToCivilDay(t, utc) - week, 7);
    const absl::CivilDay year(
        absl::ToCivilDay(LastReset(Every(ResetPeriod::kYearly, "UTC"), t), utc));
    EXPECT_EQ(year, absl::CivilDay(absl::ToCivilYear(t, utc)));
  }
}

}  // namespace
}  // namespace priorityd::priority
