#include <algorithm>
#include <random>
#include <set>

#include "tests/server/service/usage_site.h"
#include "tests/times.h"

namespace priorityd::rpc {
namespace {

constexpr char kTwoHours[] = "PriorityDecayHalfLife=2:0:0\n";
constexpr char kFiveHours[] = "PriorityDecayHalfLife=5:0:0\n";
constexpr char kHalfAnHour[] = "PriorityDecayHalfLife=30\n";

const std::vector<Stretch>& Stretches() {
  static const auto* const kStretches =
      new std::vector<Stretch>{{Hour(0), Hour(3), 2}, {Hour(2), Hour(9), 1}, {Hour(5), Hour(6), 8}};
  return *kStretches;
}

class HalfLifeChangeTest : public UsageSite {
 protected:
  void ExpectUsage(const std::vector<Stretch>& stretches, const std::vector<Era>& eras,
                   absl::Time reset, absl::Time at) {
    RecalculateAt(at);
    ExpectClose(UsageOf("a", "amy"), NaiveUsage(stretches, eras, reset, at));
    EXPECT_EQ(Rebuild(true).different_rows(), 0);
  }
  void ExpectUsage(const std::vector<Era>& eras, absl::Time at) {
    ExpectUsage(Stretches(), eras, absl::InfinitePast(), at);
  }
};

TEST_F(HalfLifeChangeTest, ProspectiveChangesHoldFromTheirRecalculationOn) {
  Start(kTwoHours);
  Record(Stretches()[0]);
  RecalculateAt(Hour(4));
  Apply(kFiveHours);
  RecalculateAt(Hour(5));
  Record(Stretches()[2]);
  Apply(kHalfAnHour);
  RecalculateAt(Hour(8));
  Record(Stretches()[1]);  // Late: it reaches over both changes.
  ExpectUsage({{Hour(0), absl::Hours(2)}, {Hour(5), absl::Hours(5)}, {Hour(8), absl::Minutes(30)}},
              Hour(10));
}

TEST_F(HalfLifeChangeTest, ARetroactiveChangeHoldsForAllThePast) {
  Start(kTwoHours);
  for (const Stretch& stretch : Stretches()) Record(stretch);
  RecalculateAt(Hour(10));
  Apply(kFiveHours, /*retroactive=*/true);
  ExpectUsage({{Hour(0), absl::Hours(5)}}, Hour(10));
}

TEST_F(HalfLifeChangeTest, ARetroactiveChangeUndoesProspectiveOnes) {
  Start(kTwoHours);
  Record(Stretches()[0]);
  RecalculateAt(Hour(4));
  Apply(kFiveHours);
  RecalculateAt(Hour(5));
  Record(Stretches()[2]);
  Apply(kHalfAnHour, /*retroactive=*/true);
  Record(Stretches()[1]);
  ExpectUsage({{Hour(0), absl::Minutes(30)}}, Hour(10));
}

TEST_F(HalfLifeChangeTest, AProspectiveChangeCanBeMadeRetroactiveLater) {
  Start(kTwoHours);
  for (const Stretch& stretch : Stretches()) Record(stretch);
  RecalculateAt(Hour(9));
  EXPECT_TRUE(Apply(kFiveHours).created());
  RecalculateAt(Hour(10));
  EXPECT_FALSE(Apply(kFiveHours, /*retroactive=*/true).created());
  ExpectUsage({{Hour(0), absl::Hours(5)}}, Hour(11));
}

TEST_F(HalfLifeChangeTest, WithoutDecayAllOfItCounts) {
  Start(kTwoHours);
  for (const Stretch& stretch : Stretches()) Record(stretch);
  RecalculateAt(Hour(10));
  Apply("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n", /*retroactive=*/true);
  RecalculateAt(Hour(10));
  EXPECT_DOUBLE_EQ(UsageOf("a", "amy"), (6 + 7 + 8) * 3600.0);
}

TEST_F(HalfLifeChangeTest, ValidateOnlyChangesNothing) {
  Start(kTwoHours);
  for (const Stretch& stretch : Stretches()) Record(stretch);
  RecalculateAt(Hour(10));
  v1::ApplyPolicyRequest request;
  request.set_text(absl::StrCat("Clock=manual\n", kFiveHours));
  request.set_retroactive(true);
  request.set_validate_only(true);
  EXPECT_TRUE(ApplyPolicy(service_, request).created());
  ExpectUsage({{Hour(0), absl::Hours(2)}}, Hour(11));
}

TEST_F(HalfLifeChangeTest, AnotherResetPeriodCutsUsageThatWasSummedUpBefore) {
  Start(kTwoHours);
  const std::vector<Stretch> over_midnight = {{Hour(20), Hour(26), 1}};
  Record(over_midnight[0]);
  RecalculateAt(Hour(27));
  Apply(absl::StrCat(kTwoHours, "PriorityUsageResetPeriod=DAILY\nTimeZone=UTC\n"));
  ExpectUsage(over_midnight, {{Hour(0), absl::Hours(2)}}, Hour(24), Hour(28));
}

TEST_F(HalfLifeChangeTest, NowWipesOutWhatWasRecordedAheadOfTheClockToo) {
  Start(kTwoHours);
  RecalculateAt(Hour(2));
  Record({Hour(1), Hour(5), 1});
  Apply(absl::StrCat(kTwoHours, "PriorityUsageResetPeriod=NOW\n"));
  RecalculateAt(Hour(6));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(HalfLifeChangeTest, AQosThatNoLongerDecaysIsSummedUpAgain) {
  Start(kTwoHours);
  Record(Stretches()[0], "amy", "a", "double");
  RecalculateAt(Hour(4));
  v1::ImportRequest qos;
  qos.set_cluster("c");
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|Priority|UsageFactor|Flags\ndouble|10|2|NoDecay\n",
          &qos);
  Import(service_, qos);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

// As for associations: the rest counts from the time on at which it is used.
TEST_F(HalfLifeChangeTest, UsageOfAQosAheadOfTheClockDoesNotCountYet) {
  Start(kTwoHours);
  Record({Hour(0), Hour(6), 1}, "amy", "a", "normal");
  for (const double hour : {4, 5, 7}) {
    RecalculateAt(Hour(hour));
    double usage = -1;
    const auto answer = AnswerTo<v1::ListQosUsageResponse>(service_, v1::ListQosUsageRequest());
    for (const v1::QosUsage& qos : answer.qos()) {
      if (qos.name() == "normal") usage = qos.raw_usage();
    }
    ExpectClose(usage, NaiveUsage({{Hour(0), Hour(6), 1}}, {{Hour(0), absl::Hours(2)}},
                                  absl::InfinitePast(), Hour(hour)));
    ExpectClose(usage, UsageOf("a", "amy"));
  }
}

// The same use of the cluster, whatever comes when and in how many pieces.
class OrderTest : public HalfLifeChangeTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static constexpr int kRecords = 900;
  static constexpr double kSpan = 40;  // Hours.

  OrderTest() {
    std::mt19937 random(20261120);
    std::uniform_real_distribution<double> hours(0, kSpan);
    std::uniform_int_distribution<int> minutes(1, 300);
    for (int i = 0; i < kRecords; ++i) {
      const absl::Time start = Hour(0) + absl::Seconds(std::floor(hours(random) * 3600));
      stretches_.push_back({start, start + absl::Minutes(minutes(random)), double(1 + i % 7) / 2});
    }
    const auto by_end = [](const Stretch& a, const Stretch& b) { return a.end < b.end; };
    std::sort(stretches_.begin(), stretches_.end(), by_end);
    Arrange(GetParam(), random);
  }

  void Arrange(const std::string& how, std::mt19937& random) {
    pieces_ = stretches_;
    if (how == "InPieces") {
      pieces_.clear();
      for (const Stretch& s : stretches_) {
        const absl::Time cut = s.start + absl::Trunc((s.end - s.start) / 3, absl::Microseconds(1));
        pieces_.push_back({cut, s.end, s.rate});
        pieces_.push_back({s.start, cut, s.rate});
      }
    }
    if (how != "InOrder") std::shuffle(pieces_.begin(), pieces_.end(), random);
  }

  // What has ended by `time` and was not recorded yet, in the order of arrival;
  // every other piece only with `late_too`.
  void RecordEndedBy(absl::Time time, bool late_too) {
    v1::RecordUsageRequest request;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const Stretch& s = pieces_[i];
      if (recorded_.contains(i) || s.end > time || (i % 2 == 0 && !late_too)) continue;
      *request.add_records() = Usage(absl::StrCat("p", i), s.start, s.end - s.start, s.rate);
      recorded_.insert(i);
    }
    EXPECT_EQ(RecordUsage(service_, request).accepted(), request.records_size());
  }

  // Recalculates, records what has ended since, in time unless it comes late.
  void Pass(double hour) {
    RecalculateAt(Hour(hour));
    RecordEndedBy(Hour(hour), std::string(GetParam()) != "HalfOfItLate");
  }

  std::vector<Stretch> stretches_;
  std::vector<Stretch> pieces_;
  std::set<size_t> recorded_;
};

TEST_P(OrderTest, UsageIsTheIntegralAcrossTwoChangesAndAReset) {
  Start(kTwoHours);
  Pass(10);
  Apply(kFiveHours);
  Pass(20);
  Pass(25);
  Reset("a");
  Apply(kHalfAnHour);
  Pass(30);
  Pass(40);
  const absl::Time at = Hour(kSpan + 6);
  RecalculateAt(at);
  RecordEndedBy(at, /*late_too=*/true);
  EXPECT_EQ(recorded_.size(), pieces_.size());
  ExpectUsage(
      stretches_,
      {{Hour(0), absl::Hours(2)}, {Hour(20), absl::Hours(5)}, {Hour(30), absl::Minutes(30)}},
      Hour(25), at);
}

INSTANTIATE_TEST_SUITE_P(Arrival, OrderTest,
                         ::testing::Values("InOrder", "Shuffled", "InPieces", "HalfOfItLate"),
                         [](const auto& how) { return std::string(how.param); });

// A reset period, and its last boundary before `at`, by the calendar.
struct PeriodCase {
  const char* name;
  const char* policy;
  const char* boundary;  // Local times of the policy's time zone.
  const char* at;
};

class ResetPeriodTest : public HalfLifeChangeTest,
                        public ::testing::WithParamInterface<PeriodCase> {};

TEST_P(ResetPeriodTest, ARecordThatStraddlesTheBoundaryCountsItsLaterPart) {
  const PeriodCase& period = GetParam();
  const absl::Time boundary = ParsedTime(period.boundary);
  const absl::Time at = ParsedTime(period.at);
  Start(absl::StrCat("PriorityDecayHalfLife=1-0\nTimeZone=Europe/Berlin\n", period.policy));
  const std::vector<Stretch> stretches = {
      {boundary - absl::Hours(5), boundary - absl::Hours(1), 3},
      {boundary - absl::Hours(2), boundary + absl::Minutes(30), 2},
      {boundary + absl::Minutes(10), boundary + absl::Minutes(40), 1}};
  RecalculateAt(boundary - absl::Hours(6));
  Record(stretches[1]);
  Record(stretches[0]);
  RecalculateAt(boundary - absl::Seconds(1));
  EXPECT_GT(UsageOf("a", "amy"), 0);
  Record(stretches[2]);
  ExpectUsage(stretches, {{Hour(0), absl::Hours(24)}}, boundary, at);
}

INSTANTIATE_TEST_SUITE_P(
    Periods, ResetPeriodTest,
    ::testing::Values(
        // Clocks go forward on 2026-03-29 and back on 2026-10-25 in Berlin.
        PeriodCase{"DailyInSpring", "PriorityUsageResetPeriod=DAILY\n", "2026-03-30T00:00:00+02:00",
                   "2026-03-30T23:59:59+02:00"},
        PeriodCase{"DailyOnTheDayOf25Hours", "PriorityUsageResetPeriod=DAILY\n",
                   "2026-10-25T00:00:00+02:00", "2026-10-25T23:30:00+01:00"},
        PeriodCase{"DailyAfterTheDayOf25Hours", "PriorityUsageResetPeriod=DAILY\n",
                   "2026-10-26T00:00:00+01:00", "2026-10-26T05:00:00+01:00"},
        PeriodCase{"WeeklyOverDst", "PriorityUsageResetPeriod=WEEKLY\n",
                   "2026-03-29T00:00:00+01:00", "2026-04-01T12:00:00+02:00"},
        PeriodCase{"MonthlyInALeapYear", "PriorityUsageResetPeriod=MONTHLY\n",
                   "2028-03-01T00:00:00+01:00", "2028-03-02T00:00:00+01:00"},
        PeriodCase{"MonthlyOnTheLeapDay", "PriorityUsageResetPeriod=MONTHLY\n",
                   "2028-02-01T00:00:00+01:00", "2028-02-29T23:00:00+01:00"},
        PeriodCase{"Quarterly", "PriorityUsageResetPeriod=QUARTERLY\n", "2026-07-01T00:00:00+02:00",
                   "2026-07-09T00:00:00+02:00"},
        PeriodCase{"Yearly", "PriorityUsageResetPeriod=YEARLY\n", "2029-01-01T00:00:00+01:00",
                   "2029-01-05T00:00:00+01:00"}),
    [](const auto& period) { return std::string(period.param.name); });

// Without a first recalculation the interval counts from when it was applied by
// the real clock, which the test has at its epoch.
TEST_F(HalfLifeChangeTest, AnIntervalCountsFromWhereItWasFirstApplied) {
  Start(absl::StrCat(kTwoHours, "PriorityUsageResetPeriod=1-12\n"));
  RecalculateAt(Hour(0));  // Sets the clock, from which the interval counts.
  const std::vector<Stretch> stretches = {{Hour(30), Hour(38), 1}, {Hour(66), Hour(74), 2}};
  Record(stretches[0]);
  RecalculateAt(Hour(39));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({stretches[0]}, {{Hour(0), absl::Hours(2)}}, Hour(36), Hour(39)));
  // Another change keeps its anchor.
  Apply(absl::StrCat(kTwoHours, "PriorityUsageResetPeriod=1-12\nPriorityWeightAge=1\n"));
  Record(stretches[1]);
  ExpectUsage(stretches, {{Hour(0), absl::Hours(2)}}, Hour(72), Hour(75));
}

}  // namespace
}  // namespace priorityd::rpc
