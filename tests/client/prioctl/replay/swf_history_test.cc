#include "client/prioctl/replay/swf_history.h"

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kTrace[] =
    "; UnixStartTime: 1000\n"
    "; MaxNodes: 8\n"
    "; MaxProcs: 32\n"
    "2 60 5 30 9 -1 -1 9 90 -1 1 7 2 -1 -1 -1 -1 -1\n"
    "1 50 -1 10 1 -1 -1 1 -1 -1 1 7 -1 -1 -1 -1 -1 -1\n"
    "3 70 -1 -1 4 -1 -1 4 -1 -1 5 7 1 -1 -1 -1 -1 -1\n";

TEST(SwfHistoryTest, AJobGetsTheFewestNodesThatHaveItsProcessors) {
  const auto history = ReadSwfHistory("t.swf", kTrace, 0);
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->nodes, 8);
  EXPECT_EQ(history->cpus, 32);
  ASSERT_EQ(history->jobs.size(), 2);
  const laboratory::HistoryJob& job = history->jobs[1];
  EXPECT_EQ(job.id, "2");
  EXPECT_EQ(job.user, "u7");
  EXPECT_EQ(job.account, "g2");
  EXPECT_EQ(job.nodes, 3) << "of 4 CPUs each";
  EXPECT_EQ(job.cpus, 9);
  EXPECT_EQ(job.submit, absl::FromUnixSeconds(1060));
  EXPECT_EQ(job.start, absl::FromUnixSeconds(1065));
  EXPECT_EQ(job.run_time, absl::Seconds(30));
  EXPECT_EQ(job.time_limit, absl::Seconds(90));
}

TEST(SwfHistoryTest, UnknownValuesHaveTheSimplestDefaults) {
  const auto history = ReadSwfHistory("t.swf", kTrace, 1);
  ASSERT_TRUE(history.ok());
  const laboratory::HistoryJob& job = history->jobs[0];
  EXPECT_EQ(job.account, "users");
  EXPECT_EQ(job.start, job.submit);
  EXPECT_EQ(job.time_limit, std::nullopt);
  EXPECT_TRUE(history->has_waits) << "one job tells";
  EXPECT_EQ(history->jobs[1].nodes, 9);
  EXPECT_THAT(history->left_out, ElementsAre(Pair("without a run time or processors", 1)));
}

TEST(SwfHistoryTest, ErrorsNameFileAndLine) {
  EXPECT_THAT(ReadSwfHistory("t.swf", "; x\n1 2\n", 0).status().message(),
              HasSubstr("t.swf line 2: got 2 fields"));
}

TEST(SwfHistoryTest, ATraceIsDistinguishedFromATable) {
  EXPECT_TRUE(IsSwf("; Version: 2\n"));
  EXPECT_TRUE(IsSwf("\n 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"));
  EXPECT_FALSE(IsSwf("JobID|User|Account\n"));
  EXPECT_FALSE(IsSwf("{\"jobs\": []}"));
  EXPECT_FALSE(IsSwf(""));
}

}  // namespace
}  // namespace priorityd::replay
