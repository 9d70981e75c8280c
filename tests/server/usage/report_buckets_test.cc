#include "server/usage/report_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/times.h"

namespace priorityd::usage {
namespace {

using testing::ElementsAre;

// The edges in the rule's zone.
std::vector<std::string> Edges(const BucketRule& rule, const char* start, const char* end) {
  std::vector<std::string> texts;
  const std::vector<absl::Time> edges =
      BucketEdges(rule, ParsedTime(start), ParsedTime(end)).value();
  for (const absl::Time edge : edges) {
    texts.push_back(absl::FormatTime("%m-%d %H:%M%z", edge, rule.time_zone));
  }
  return texts;
}

TEST(ReportBucketsTest, TheWholePeriodIsOneBucket) {
  EXPECT_THAT(Edges({}, "2026-01-01T05:00:00Z", "2027-01-01T00:00:00Z"),
              ElementsAre("01-01 05:00+0000", "01-01 00:00+0000"));
}

TEST(ReportBucketsTest, TheFirstAndTheLastBucketAreCutOff) {
  EXPECT_THAT(
      Edges({.unit = BucketUnit::kMonth}, "2026-01-15T05:00:00Z", "2026-03-02T00:00:00Z"),
      ElementsAre("01-15 05:00+0000", "02-01 00:00+0000", "03-01 00:00+0000", "03-02 00:00+0000"));
}

TEST(ReportBucketsTest, DaysOfAClockChangeAreShorterAndLonger) {
  const BucketRule days{.unit = BucketUnit::kDay, .time_zone = NamedZone("Europe/Berlin")};
  EXPECT_THAT(Edges(days, "2026-03-28T23:00:00Z", "2026-03-30T22:00:00Z"),
              ElementsAre("03-29 00:00+0100", "03-30 00:00+0200", "03-31 00:00+0200"));
  EXPECT_THAT(Edges(days, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
              ElementsAre("10-25 00:00+0200", "10-26 00:00+0100"));
}

TEST(ReportBucketsTest, AnHourThatComesTwiceMakesTwoBucketsAndASkippedOneNone) {
  const BucketRule hours{.unit = BucketUnit::kHour, .time_zone = NamedZone("Europe/Berlin")};
  EXPECT_THAT(Edges(hours, "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"),
              ElementsAre("10-25 02:00+0200", "10-25 02:00+0100", "10-25 03:00+0100"));
  EXPECT_THAT(Edges(hours, "2026-03-29T00:30:00Z", "2026-03-29T02:00:00Z"),
              ElementsAre("03-29 01:30+0100", "03-29 03:00+0200", "03-29 04:00+0200"));
}

TEST(ReportBucketsTest, HoursAreFullInZonesThatAreOffByHalfAnHour) {
  const BucketRule hours{.unit = BucketUnit::kHour, .time_zone = NamedZone("Asia/Kolkata")};
  EXPECT_THAT(Edges(hours, "2026-05-01T00:00:00Z", "2026-05-01T01:00:00Z"),
              ElementsAre("05-01 05:30+0530", "05-01 06:00+0530", "05-01 06:30+0530"));
}

TEST(ReportBucketsTest, WhereMidnightIsSkippedTheDayBeginsWithTheChange) {
  // Lebanon's clocks go from 00:00 to 01:00.
  const BucketRule days{.unit = BucketUnit::kDay, .time_zone = NamedZone("Asia/Beirut")};
  EXPECT_THAT(Edges(days, "2026-03-27T22:00:00Z", "2026-03-29T21:00:00Z"),
              ElementsAre("03-28 00:00+0200", "03-29 01:00+0300", "03-30 00:00+0300"));
}

TEST(ReportBucketsTest, WeeksBeginOnSunday) {
  EXPECT_THAT(Edges({.unit = BucketUnit::kWeek}, "2026-01-04T00:00:00Z", "2026-01-12T00:00:00Z"),
              ElementsAre("01-04 00:00+0000", "01-11 00:00+0000", "01-12 00:00+0000"));
}

TEST(ReportBucketsTest, LengthsCountFromTheStart) {
  EXPECT_THAT(Edges({.unit = BucketUnit::kLength, .length = absl::Hours(36)},
                    "2026-01-04T06:00:00Z", "2026-01-07T00:00:00Z"),
              ElementsAre("01-04 06:00+0000", "01-05 18:00+0000", "01-07 00:00+0000"));
}

TEST(ReportBucketsTest, TooManyBucketsAreNone) {
  const BucketRule seconds{.unit = BucketUnit::kLength, .length = absl::Seconds(1)};
  const absl::Time start = ParsedTime("2026-01-01T00:00:00Z");
  EXPECT_EQ(BucketEdges(seconds, start, start + absl::Seconds(kMaxBuckets))->size(),
            kMaxBuckets + 1);
  EXPECT_FALSE(BucketEdges(seconds, start, start + absl::Seconds(kMaxBuckets + 1)).has_value());
}

}  // namespace
}  // namespace priorityd::usage
