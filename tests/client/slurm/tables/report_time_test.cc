#include "client/slurm/tables/report_time.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

using ::testing::HasSubstr;

class ReportTimeTest : public ::testing::Test {
 protected:
  ReportTimeTest() {
    EXPECT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin_));
    // 14:30:15 in Berlin.
    now_ = absl::FromCivil(absl::CivilSecond(2026, 3, 30, 14, 30, 15), berlin_);
  }

  // `text` in Berlin's local time.
  std::string Read(const std::string& text) {
    const absl::StatusOr<absl::Time> time = ParseReportTime(text, now_, berlin_);
    return time.ok() ? ReportTimeText(*time, berlin_) : std::string(time.status().message());
  }

  absl::TimeZone berlin_;
  absl::Time now_;
};

TEST_F(ReportTimeTest, DatesAndTimesAreThoseOfTheZone) {
  EXPECT_EQ(Read("2017-12-31"), "2017-12-31T00:00:00");
  EXPECT_EQ(Read("2017-12-31T08:15"), "2017-12-31T08:15:00");
  EXPECT_EQ(Read("2017-12-31T08:15:59"), "2017-12-31T08:15:59");
  EXPECT_EQ(Read("123117"), "2017-12-31T00:00:00");
  EXPECT_EQ(Read("12/31/17"), "2017-12-31T00:00:00");
  EXPECT_EQ(Read("12.31.17"), "2017-12-31T00:00:00");
  EXPECT_EQ(Read("4/15"), "2026-04-15T00:00:00");
  EXPECT_EQ(Read("11:00"), "2026-03-30T11:00:00");
  EXPECT_EQ(Read("2017-06-01T00:00:00Z"), "2017-06-01T02:00:00");
}

// The forms of `sacct --starttime` and `sbatch --begin`.
TEST_F(ReportTimeTest, AllFormsOfSlurmsToolsAreRead) {
  EXPECT_EQ(Read("0415"), "2026-04-15T00:00:00");
  EXPECT_EQ(Read("041525"), "2025-04-15T00:00:00");
  EXPECT_EQ(Read("04.15"), "2026-04-15T00:00:00");
  EXPECT_EQ(Read("04/15-14:30"), "2026-04-15T14:30:00");
  EXPECT_EQ(Read("04/15/25-14:30:07"), "2025-04-15T14:30:07");
  EXPECT_EQ(Read("041525-14:30"), "2025-04-15T14:30:00");
  EXPECT_EQ(Read("2025-04-15 14:30"), "2025-04-15T14:30:00");
  EXPECT_EQ(Read("2:30PM"), "2026-03-30T14:30:00");
  EXPECT_EQ(Read("12:05 am"), "2026-03-30T00:05:00");
  EXPECT_EQ(Read("12:00:30pm"), "2026-03-30T12:00:30");
  EXPECT_EQ(Read("elevenses"), "2026-03-30T11:00:00");
  EXPECT_EQ(Read("fika"), "2026-03-30T15:00:00");
  EXPECT_EQ(Read("teatime+1day"), "2026-03-31T16:00:00");
  EXPECT_EQ(Read("uts1795180031"), "2026-11-20T14:07:11");
}

TEST_F(ReportTimeTest, WordsAreInAnyCase) {
  EXPECT_EQ(Read("now"), "2026-03-30T14:30:15");
  EXPECT_EQ(Read("Today"), "2026-03-30T00:00:00");
  EXPECT_EQ(Read("MIDNIGHT"), "2026-03-30T00:00:00");
  EXPECT_EQ(Read("noon"), "2026-03-30T12:00:00");
  EXPECT_EQ(Read("yesterday"), "2026-03-29T00:00:00");
  EXPECT_EQ(Read("tomorrow"), "2026-03-31T00:00:00");
}

TEST_F(ReportTimeTest, OffsetsOfDaysFollowTheCalendarAndOfHoursTheClock) {
  // The clocks went forward in the night to the 29th.
  EXPECT_EQ(Read("now-1week"), "2026-03-23T14:30:15");
  EXPECT_EQ(Read("today-2days"), "2026-03-28T00:00:00");
  EXPECT_EQ(Read("today-47hours"), "2026-03-28T00:00:00");
  EXPECT_EQ(Read("now+30"), "2026-03-30T14:30:45");
  EXPECT_EQ(Read("2026-03-01+90min"), "2026-03-01T01:30:00");
}

TEST_F(ReportTimeTest, WhatIsNoTimeSaysWhatIsWanted) {
  for (const char* text :
       {"", "soon", "2017-13-01", "now-", "now-1fortnight", "25:00", "-1day", "now-99999999999days",
        "14:30pm", "0:30am", "uts", "uts-1", "infinite-future", "Infinite-Past"}) {
    EXPECT_THAT(Read(text), HasSubstr("want YYYY-MM-DD")) << text;
  }
}

}  // namespace
}  // namespace priorityd::tables
