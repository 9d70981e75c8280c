#include "client/swf/swf.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::swf {
namespace {

using ::testing::HasSubstr;

constexpr char kTrace[] =
    "; Version: 2.2\n"
    "; UnixStartTime: 1000\n"
    ";  MaxNodes: 64\n"
    "; MaxProcs: 128\n"
    "; Note: MaxNodes: of the batch part\n"
    "\n"
    "  1  60  5  30  4  20.5 -1  8  90 -1 1  7 2 -1 -1 -1 -1 -1\n"
    "  2\t70 -1 -1 -1 -1 -1 8 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n";

TEST(SwfTest, ReadsTheFieldsThatAreNeeded) {
  const auto trace = ParseSwf(kTrace);
  ASSERT_TRUE(trace.ok()) << trace.status();
  ASSERT_EQ(trace->jobs.size(), 2);
  const SwfJob& job = trace->jobs.front();
  EXPECT_EQ(job.number, 1);
  EXPECT_EQ(job.submit_time, absl::FromUnixSeconds(1060));
  EXPECT_EQ(job.run_time, absl::Seconds(30));
  EXPECT_EQ(job.processors, 4);
  EXPECT_EQ(job.requested_time, absl::Seconds(90));
  EXPECT_EQ(job.user, 7);
  EXPECT_EQ(job.group, 2);
  EXPECT_EQ(job.wait_time, absl::Seconds(5));
  EXPECT_EQ(trace->max_nodes, 64);
  EXPECT_EQ(trace->max_processors, 128);
}

TEST(SwfTest, MinusOneIsUnknown) {
  const auto trace = ParseSwf(kTrace);
  ASSERT_TRUE(trace.ok());
  const SwfJob& job = trace->jobs.back();
  EXPECT_EQ(job.run_time, std::nullopt);
  EXPECT_EQ(job.wait_time, std::nullopt);
  EXPECT_EQ(job.requested_time, std::nullopt);
  EXPECT_EQ(job.user, -1);
  EXPECT_EQ(job.processors, 8) << "requested, where the allocated ones are not known";
}

TEST(SwfTest, TimesCountFrom2000WhereTheHeaderHasNone) {
  const auto trace = ParseSwf("1 5 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->jobs.front().submit_time,
            absl::FromCivil(absl::CivilSecond(2000, 1, 1, 0, 0, 5), absl::UTCTimeZone()));
}

TEST(SwfTest, ErrorsNameTheLine) {
  EXPECT_THAT(ParseSwf("; x\n1 2 3\n").status().message(),
              HasSubstr("line 2: got 3 fields, want 18"));
  EXPECT_THAT(ParseSwf("1 x 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1").status().message(),
              HasSubstr("line 1: got \"x\", want a number"));
  EXPECT_THAT(ParseSwf("1 1e99 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1").status().message(),
              HasSubstr("line 1: got \"1e99\""));
  EXPECT_THAT(ParseSwf("1 nan 0 1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1").status().message(),
              HasSubstr("line 1: got \"nan\""));
  EXPECT_THAT(ParseSwf("1 1 0 1 1e12 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1").status().message(),
              HasSubstr("processors, want at most"));
}

}  // namespace
}  // namespace priorityd::swf
