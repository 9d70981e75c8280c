#include "engine/slurm/words/time_string.h"

#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

absl::Duration Parsed(absl::string_view text) {
  const absl::StatusOr<absl::Duration> duration = ParseTimeString(text);
  EXPECT_TRUE(duration.ok()) << text << ": " << duration.status();
  return duration.value_or(-absl::Seconds(1));
}

TEST(TimeStringTest, EveryFormOfSlurmIsRead) {
  EXPECT_EQ(Parsed("5"), absl::Minutes(5));
  EXPECT_EQ(Parsed("5:30"), absl::Seconds(330));
  EXPECT_EQ(Parsed("1:02:03"), absl::Seconds(3723));
  EXPECT_EQ(Parsed("7-0"), absl::Hours(168));
  EXPECT_EQ(Parsed("1-12"), absl::Hours(36));
  EXPECT_EQ(Parsed("0-00:05"), absl::Minutes(5));
  EXPECT_EQ(Parsed("0-0:10"), absl::Minutes(10));
  EXPECT_EQ(Parsed("1-00:00:00"), absl::Hours(24));
  EXPECT_EQ(Parsed("2-03:04:05"), absl::Hours(51) + absl::Seconds(245));
  EXPECT_EQ(Parsed("0"), absl::ZeroDuration());
}

TEST(TimeStringTest, NoPartIsBoundedByTheNext) {
  EXPECT_EQ(Parsed("90:90"), absl::Seconds(90 * 60 + 90));
  EXPECT_EQ(Parsed("0-36"), absl::Hours(36));
}

TEST(TimeStringTest, UnlimitedHasThreeNames) {
  EXPECT_EQ(Parsed("INFINITE"), absl::InfiniteDuration());
  EXPECT_EQ(Parsed("unlimited"), absl::InfiniteDuration());
  EXPECT_EQ(Parsed("-1"), absl::InfiniteDuration());
}

TEST(TimeStringTest, AnythingElseIsRefused) {
  for (const char* text :
       {"", ":", "-", "1-", "-2", "1:", ":1", "1:2:3:4", "1-2:3:4:5", "1-2-3", "1h", " 1", "1.5",
        "+1", "0x10", "4294967294", "99999999999999999999", "99999999999-0"}) {
    EXPECT_FALSE(ParseTimeString(text).ok()) << text;
  }
  EXPECT_EQ(ParseTimeString("soon").status().message(),
            "got \"soon\", want a time (min, min:sec, h:m:s, d-h, d-h:m, d-h:m:s or UNLIMITED)");
}

TEST(TimeStringTest, SlurmKeepsWholeMinutes) {
  EXPECT_EQ(*ParseMinutes("0:30"), absl::Minutes(1));
  EXPECT_EQ(*ParseMinutes("90:30"), absl::Minutes(91));
  EXPECT_EQ(*ParseMinutes("1-0:00:00"), absl::Hours(24));
  EXPECT_EQ(*ParseMinutes("UNLIMITED"), absl::InfiniteDuration());
  EXPECT_FALSE(ParseMinutes("soon").ok());
}

TEST(TimeStringTest, TheLargestTimeIsSlurms) {
  EXPECT_EQ(Parsed("4294967293"), absl::Minutes(4294967293));
}

// sacctmgr(1): "Preemption grace time, in seconds".
TEST(TimeStringTest, AGraceTimeWithoutColonsIsInSeconds) {
  EXPECT_EQ(ReadGraceTime("120"), absl::Minutes(2));
  EXPECT_EQ(ReadGraceTime("00:02:00"), absl::Minutes(2));
  EXPECT_EQ(ReadGraceTime("-1"), absl::ZeroDuration());
  EXPECT_EQ(ReadGraceTime(""), absl::ZeroDuration());
}

TEST(TimeStringTest, FormattedTimesReadBackTheSame) {
  EXPECT_EQ(FormatTimeString(absl::Minutes(90)), "01:30:00");
  EXPECT_EQ(FormatTimeString(absl::Hours(168)), "7-00:00:00");
  EXPECT_EQ(FormatTimeString(absl::InfiniteDuration()), "UNLIMITED");
  EXPECT_EQ(FormatTimeString(-absl::Seconds(5)), "00:00:00");
  for (int64_t seconds = 0; seconds < 1'000'000; seconds = seconds * 3 + 7) {
    EXPECT_EQ(Parsed(FormatTimeString(absl::Seconds(seconds))), absl::Seconds(seconds));
  }
}

}  // namespace
}  // namespace priorityd::slurm
