#include "client/prioctl/text/table.h"

#include <sstream>

#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/text.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

google::protobuf::Duration Seconds(int64_t seconds) {
  google::protobuf::Duration duration;
  duration.set_seconds(seconds);
  return duration;
}

TEST(TableTest, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({{"NAME"}, {"COUNT", true}});
  table.AddRow({"a", "1"});
  table.AddRow({"longer", "1000000"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "NAME     COUNT\n"
            "a            1\n"
            "longer 1000000\n");
}

TEST(TableTest, NothingIsEverCut) {
  Table table({{"A"}, {"B"}});
  table.AddRow({std::string(300, 'a'), std::string(300, 'b')});
  std::ostringstream out;
  table.Print(out);
  EXPECT_NE(out.str().find(std::string(300, 'a') + " " + std::string(300, 'b')), std::string::npos);
}

TEST(TableTest, ALongCellContinuesBelowWhereItsColumnWraps) {
  Table table({{"WHO"}, {"BEFORE", false, 8}, {"AFTER"}});
  table.AddRow({"amy", "a=1 b=22 longerthanitscolumn c", "a=2 b=22 c=3"});
  table.AddRow({"ben", "a=2", "a=3"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "WHO BEFORE              AFTER\n"
            "amy a=1 b=22            a=2 b=22 c=3\n"
            "    longerthanitscolumn \n"
            "    c                   \n"
            "ben a=2                 a=3\n");
}

TEST(TableTest, WithoutRowsNothingIsPrinted) {
  std::ostringstream out;
  Table({{"A"}}).Print(out);
  EXPECT_EQ(out.str(), "");
}

TEST(TextTest, DurationsAreWrittenAsInSlurmConf) {
  EXPECT_EQ(DurationText(Seconds(7 * 86400)), "7-00:00:00");
  EXPECT_EQ(DurationText(Seconds(300)), "00:05:00");
  EXPECT_EQ(DurationText(Seconds(0)), "00:00:00");
}

TEST(TextTest, CountsHaveCommasBetweenThousands) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1109000), "1,109,000");
  EXPECT_EQ(CountText(-1234), "-1,234");
  EXPECT_EQ(AmountText(1234.9), "1,234");
  EXPECT_EQ(AmountText(3e19), "30,000,000,000,000,000,000");
}

TEST(TextTest, TimesAreRfc3339InUtc) {
  EXPECT_EQ(TimeText(ToTimestamp(absl::FromUnixMillis(1795180031250))), "2026-11-20T13:07:11");
  EXPECT_EQ(TimeText(google::protobuf::Timestamp(), /*is_set=*/false), "never");
  EXPECT_EQ(TimeText(ToTimestamp(absl::UnixEpoch())), "1970-01-01T00:00:00");
}

TEST(TextTest, TimesBeforeTheEpochHavePositiveNanos) {
  const auto timestamp = ToTimestamp(absl::FromUnixMillis(-250));
  EXPECT_EQ(timestamp.seconds(), -1);
  EXPECT_EQ(timestamp.nanos(), 750'000'000);
}

TEST(ProgressBarTest, HalfDoneIsHalfABar) {
  EXPECT_EQ(BarText(50, 100, "500 records"), "[###############               ]  50% 500 records");
  EXPECT_EQ(BarText(50, 0, "500 records"), "500 records");
  EXPECT_EQ(BarText(200, 100, "x"), "[##############################] 100% x");
}

TEST(ProgressBarTest, TheRestTakesAsLongAsWhatIsDone) {
  EXPECT_EQ(TimeLeftText(25, 100, absl::Seconds(30)), "00:01:30 left");
  EXPECT_EQ(TimeLeftText(100, 100, absl::Seconds(30)), "00:00:00 left");
  EXPECT_EQ(TimeLeftText(0, 100, absl::Seconds(30)), "");
}

TEST(ProgressBarTest, ALineIsDrawnOverAndTakenAway) {
  std::ostringstream out;
  {
    ProgressBar bar(&out, true);
    bar.Show(0, 0, "reading");
    EXPECT_EQ(out.str(), "\r\x1b[Kreading");
  }
  EXPECT_EQ(out.str(), "\r\x1b[Kreading\r\x1b[K");
}

TEST(ProgressBarTest, NothingIsDrawnWhereThereIsNoTerminal) {
  std::ostringstream out;
  {
    ProgressBar bar(&out, false);
    bar.Show(1, 2, "half");
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace priorityd::prioctl
