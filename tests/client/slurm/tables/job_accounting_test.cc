#include "client/slurm/tables/job_accounting.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "client/slurm/tables/sacct_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

using ::testing::HasSubstr;

constexpr char kHeading[] =
    "JobIDRaw|User|Account|Submit|Eligible|Start|End|Timelimit|State|ExitCode|TotalCPU|MaxRSS|"
    "ReqTRES|AllocTRES|NodeList\n";

absl::StatusOr<SacctRecords> Read(const std::string& rows) {
  return ReadSacctRecords("sacct.txt", absl::StrCat(kHeading, rows), "sacct", absl::UTCTimeZone());
}

// As sacct prints a job with its steps; 16:00 is 1795363200 s.
constexpr char kJob[] =
    "7|ann|chem|2026-11-22T15:00:00|2026-11-22T15:30:00|2026-11-22T16:00:00|2026-11-22T17:00:00|"
    "1-00:00:00|OUT_OF_MEMORY|0:125|1-02:03:04||cpu=3,mem=4G,node=1|cpu=4,mem=4G,node=1|n[1-2]\n"
    "7.batch||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|"
    "2026-11-22T17:00:00||OUT_OF_MEMORY|0:125|00:01.500|1536K||cpu=4|n1\n"
    "7.0||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T17:00:00||"
    "COMPLETED|0:0|00:00:01|2.5M||cpu=4|n1\n"
    "8|ann|chem|2026-11-22T15:00:00|Unknown|2026-11-22T16:00:00|2026-11-22T17:00:00|UNLIMITED|"
    "SPECIAL_EXIT|1:0|03:04.567||cpu=4|cpu=4|None assigned\n"
    "8.batch||chem|2026-11-22T16:00:00|2026-11-22T16:00:00|2026-11-22T16:00:00|"
    "2026-11-22T17:00:00||FAILED|1:0|03:04.567|1G||cpu=4|n1\n";

TEST(JobAccountingTest, FiguresThatSacctPrintsOfAJobAreSent) {
  const auto read = Read(kJob);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->records.size(), 2u);
  const v1::JobAccounting& job = read->records[0].job();
  EXPECT_EQ(job.state(), "OUT_OF_MEMORY");
  EXPECT_EQ(job.exit_code(), 0);
  EXPECT_EQ(job.exit_signal(), 125);
  EXPECT_EQ(job.submit_time().seconds(), 1795363200 - 3600);
  EXPECT_EQ(job.eligible_time().seconds(), 1795363200 - 1800);
  EXPECT_EQ(job.time_limit().seconds(), 86400);
  EXPECT_EQ(job.total_cpu().seconds(), 86400 + 2 * 3600 + 3 * 60 + 4);
  EXPECT_EQ(job.req_cpus(), 3);
  EXPECT_FALSE(job.has_req_mem()) << "it had what it asked for";
  EXPECT_EQ(job.node_list(), "n[1-2]");
}

TEST(JobAccountingTest, MaxRssIsTheHighestOfTheJobsOwnSteps) {
  const auto read = Read(kJob);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->records[0].job().max_rss(), 2.5);
  EXPECT_EQ(read->records[1].job().max_rss(), 1024);
  EXPECT_EQ(read->steps, 3);
}

TEST(JobAccountingTest, WhatTheServiceWouldNotTakeIsLeftOut) {
  const auto read = Read(kJob);
  ASSERT_TRUE(read.ok()) << read.status();
  const v1::JobAccounting& job = read->records[1].job();
  EXPECT_EQ(job.state(), "");
  EXPECT_EQ(job.node_list(), "");
  EXPECT_FALSE(job.has_eligible_time());
  EXPECT_EQ(job.time_limit().seconds(), 315'576'000'000) << "UNLIMITED";
  EXPECT_EQ(job.total_cpu().seconds(), 184);
  EXPECT_EQ(job.total_cpu().nanos(), 567'000'000);
}

TEST(JobAccountingTest, SlurmsWordsForNoNodesAreNoNodeList) {
  constexpr char kRow[] =
      "7|ann|chem|2026-11-22T15:00:00|Unknown|2026-11-22T16:00:00|2026-11-22T17:00:00|01:00:00|"
      "FAILED|1:0|00:01|||cpu=4|";
  for (const char* none : {"", "None assigned", "NONE ASSIGNED", "None", "(null)", "N/A", "n/a"}) {
    const auto read = Read(absl::StrCat(kRow, none, "\n"));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->records[0].job().node_list(), "") << none;
    const auto json = ReadSacctRecords(
        "sacct.json",
        absl::StrCat(R"({"jobs": [{"job_id": 7, "user": "ann", "account": "chem", "nodes": ")",
                     none, R"(", "time": {"start": 1060, "end": 1120},
                     "tres": {"allocated": [{"type": "cpu", "name": "", "count": 8}]}}]})"),
        "sacct", absl::UTCTimeZone());
    ASSERT_TRUE(json.ok()) << json.status();
    ASSERT_EQ(json->records.size(), 1u);
    EXPECT_EQ(json->records[0].job().node_list(), "") << none;
  }
}

TEST(JobAccountingTest, ATimeThatIsNoneIsNamedWithItsLine) {
  const auto read = Read(
      "7|ann|chem|2026-11-22T15:00:00|Unknown|2026-11-22T16:00:00|2026-11-22T17:00:00|soon|"
      "COMPLETED|0:0|00:01|||cpu=4|n1\n");
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("sacct.txt line 2: Timelimit: got \"soon\""));
}

TEST(JobAccountingTest, MemoryHasSlurmsUnits) {
  EXPECT_EQ(ReadMaxRss("1536K"), 1.5);
  EXPECT_EQ(ReadMaxRss("2.5M"), 2.5);
  EXPECT_EQ(ReadMaxRss("1G"), 1024);
  EXPECT_EQ(ReadMaxRss("1048576"), 1);
  EXPECT_EQ(ReadMaxRss("0"), 0);
  for (const char* none : {"", "K", "-1K", "nan", "x", "1e30G"}) {
    EXPECT_EQ(ReadMaxRss(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace priorityd::tables
