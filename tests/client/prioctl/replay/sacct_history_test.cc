#include "client/prioctl/replay/sacct_history.h"

#include <cstddef>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kTable[] =
    "JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|AllocTRES|NodeList\n"
    "7|ann|chem|main|normal|2026-11-20T13:00:00|2026-11-20T13:10:00|2026-11-20T14:00:00|"
    "2026-11-20T15:00:00|1-00:00:00|billing=9,cpu=8,gres/gpu:a100=2,mem=2G,node=2|n[1-2]\n"
    "7.batch||chem|||2026-11-20T14:00:00|2026-11-20T14:00:00|2026-11-20T14:00:00|"
    "2026-11-20T15:00:00||cpu=8|n1\n"
    "8|bob|chem|main|normal|2026-11-20T13:00:00|Unknown|Unknown|2026-11-20T15:00:00|60||None\n"
    "9|bob|chem|main|normal|2026-11-20T13:00:00|Unknown|2026-11-20T15:00:00|Unknown|60||n1\n"
    "10|bob|chem|main|normal|2026-11-20T12:00:00|2026-11-20T16:00:00|2026-11-20T15:00:00|"
    "2026-11-20T15:00:00|UNLIMITED||None assigned\n";

TEST(SacctHistoryTest, ReadsWhatAJobWasAndHad) {
  const auto history = ReadSacctHistory("sacct.txt", kTable, absl::UTCTimeZone());
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->jobs.size(), 2);
  const laboratory::HistoryJob& job = history->jobs[0];
  EXPECT_EQ(job.id, "7");
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.account, "chem");
  EXPECT_THAT(job.partitions, ElementsAre("main"));
  EXPECT_EQ(job.qos, "normal");
  const absl::Time noon =
      absl::FromCivil(absl::CivilSecond(2026, 11, 20, 12, 0, 0), absl::UTCTimeZone());
  EXPECT_EQ(job.submit, noon + absl::Hours(1));
  EXPECT_EQ(job.eligible, noon + absl::Minutes(70));
  EXPECT_EQ(job.start, noon + absl::Hours(2));
  EXPECT_EQ(job.run_time, absl::Hours(1));
  EXPECT_EQ(job.time_limit, absl::Hours(24));
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.cpus, 8);
  EXPECT_THAT(job.tres, UnorderedElementsAre(Pair("mem", 2048), Pair("gres/gpu:a100", 2)));
  EXPECT_THAT(job.node_names, ElementsAre("n1", "n2"));
}

TEST(SacctHistoryTest, WhatIsNoJobThatRanIsLeftOutByName) {
  const auto history = ReadSacctHistory("sacct.txt", kTable, absl::UTCTimeZone());
  ASSERT_TRUE(history.ok());
  EXPECT_THAT(history->left_out,
              ElementsAre(Pair("never started", 1), Pair("steps", 1), Pair("still running", 1)));
}

TEST(SacctHistoryTest, TimesThatCannotBeAreBroughtIntoOrder) {
  const auto history = ReadSacctHistory("sacct.txt", kTable, absl::UTCTimeZone());
  ASSERT_TRUE(history.ok());
  const laboratory::HistoryJob& job = history->jobs[1];
  EXPECT_EQ(job.eligible, job.start) << "sacct has it after the start";
  EXPECT_EQ(job.time_limit, absl::InfiniteDuration());
  EXPECT_EQ(job.cpus, 1) << "where nothing is told";
  EXPECT_TRUE(job.node_names.empty());
}

TEST(SacctHistoryTest, JsonIsReadToo) {
  const auto history = ReadSacctHistory(
      "sacct.json",
      R"({"jobs": [{"job_id": 7, "user": "ann", "account": "chem", "partition": "main",
          "qos": "normal", "nodes": "n[1-2]",
          "time": {"submission": 1000, "eligible": 1000, "start": 1060, "end": 1120,
                   "limit": {"set": true, "infinite": false, "number": 30}},
          "tres": {"allocated": [{"type": "cpu", "name": "", "count": 8},
                                 {"type": "node", "name": "", "count": 2}]}}]})",
      absl::UTCTimeZone());
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->jobs.size(), 1);
  EXPECT_EQ(history->jobs[0].run_time, absl::Seconds(60));
  EXPECT_EQ(history->jobs[0].time_limit, absl::Minutes(30));
  EXPECT_EQ(history->jobs[0].cpus, 8);
  EXPECT_EQ(history->jobs[0].nodes, 2);
}

TEST(SacctHistoryTest, ErrorsNameTheLineAndTheColumn) {
  EXPECT_THAT(ReadSacctHistory("s", "JobID|User|Account|Start|End\n", absl::UTCTimeZone())
                  .status()
                  .message(),
              HasSubstr("s line 1: got no column Submit"));
  EXPECT_THAT(ReadSacctHistory("s",
                               "JobID|User|Account|Submit|Start|End|Timelimit\n"
                               "1|a|b|2026-11-20|2026-11-20|2026-11-21|soon\n",
                               absl::UTCTimeZone())
                  .status()
                  .message(),
              HasSubstr("s line 2: Timelimit: got \"soon\""));
}

TEST(SacctHistoryTest, WhatIsWrittenReadsBack) {
  const auto read = ReadSacctHistory("sacct.txt", kTable, absl::UTCTimeZone());
  ASSERT_TRUE(read.ok());
  laboratory::Played played;
  played.schedule = laboratory::Recorded(read->jobs);
  played.nodes = {{0, 1}, {}};
  const std::string text = SacctText(read->jobs, played, {"n1", "n2"}, absl::UTCTimeZone());
  const auto again = ReadSacctHistory("again", text, absl::UTCTimeZone());
  ASSERT_TRUE(again.ok()) << again.status() << text;
  ASSERT_EQ(again->jobs.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    const laboratory::HistoryJob &a = read->jobs[i], &b = again->jobs[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.submit, b.submit);
    EXPECT_EQ(a.eligible, b.eligible);
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.run_time, b.run_time);
    EXPECT_EQ(a.time_limit, b.time_limit);
    EXPECT_EQ(a.cpus, b.cpus);
    EXPECT_EQ(a.tres, b.tres);
    EXPECT_EQ(a.node_names, b.node_names);
  }
}

}  // namespace
}  // namespace priorityd::replay
