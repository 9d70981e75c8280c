#include "client/slurm/tables/ledger_runs.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

class LedgerRunsTest : public ::testing::Test {
 protected:
  v1::UsageRecord& Add(int start, int end, double cpus, const std::string& job_id = "7") {
    v1::UsageRecord& record = *list_.add_records()->mutable_record();
    record.set_source("s");
    record.set_job_id(job_id);
    record.mutable_start_time()->set_seconds(start);
    record.mutable_end_time()->set_seconds(end);
    (*record.mutable_tres())["cpu"] = cpus;
    return record;
  }
  std::vector<JobRun> Runs() { return RunsOf(list_.records()); }

  v1::ListUsageRecordsResponse list_;
};

TEST_F(LedgerRunsTest, ARecordIsARun) {
  Add(10, 30, 0.1).mutable_job()->set_state("FAILED");
  Add(10, 30, 1, "");
  const auto runs = Runs();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].start, absl::FromUnixSeconds(10));
  EXPECT_EQ(runs[0].end, absl::FromUnixSeconds(30));
  EXPECT_EQ(runs[0].Held("cpu"), 0.1) << "exactly";
  EXPECT_EQ(runs[0].accounting.state(), "FAILED");
}

TEST_F(LedgerRunsTest, RecordsOfOneRunAreOneWithTheFactsOfTheLast) {
  v1::JobAccounting& first = *Add(0, 10, 2).mutable_job();
  first.mutable_start_time()->set_seconds(0);
  first.set_state("RUNNING");
  v1::JobAccounting& second = *Add(10, 40, 4).mutable_job();
  second.mutable_start_time()->set_seconds(0);
  second.set_state("TIMEOUT");
  Add(40, 60, 4);
  const auto runs = Runs();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].accounting.state(), "TIMEOUT");
  EXPECT_EQ(runs[0].wall, 60);
  EXPECT_NEAR(runs[0].Held("cpu"), (10 * 2 + 50 * 4) / 60.0, 1e-12);
}

TEST_F(LedgerRunsTest, AJobThatRanAgainHasTwoRunsAndOthersHaveTheirOwn) {
  Add(0, 10, 1);
  Add(20, 30, 1);
  Add(20, 30, 1, "8");
  Add(30, 40, 1).set_source("t");
  EXPECT_EQ(Runs().size(), 4u);
}

TEST_F(LedgerRunsTest, ASuspendedJobEndsWhenItEnded) {
  Add(0, 10, 1).mutable_job()->mutable_end_time()->set_seconds(25);
  EXPECT_EQ(Runs()[0].end, absl::FromUnixSeconds(25));
  EXPECT_EQ(Runs()[0].Seconds(), 10);
}

TEST_F(LedgerRunsTest, EfficiencyIsThePartOfWhatWasHeld) {
  v1::UsageRecord& record = Add(0, 100, 4);
  EXPECT_LT(Runs()[0].CpuEfficiency(), 0) << "not reported";
  EXPECT_LT(Runs()[0].MemoryEfficiency(), 0);
  record.mutable_job()->mutable_total_cpu()->set_seconds(100);
  record.mutable_job()->set_max_rss(256);
  EXPECT_EQ(Runs()[0].CpuEfficiency(), 0.25);
  EXPECT_LT(Runs()[0].MemoryEfficiency(), 0) << "of nobody knows what";
  record.mutable_job()->set_req_mem(1024);
  EXPECT_EQ(Runs()[0].MemoryEfficiency(), 0.25);
  (*record.mutable_tres())["mem"] = 4096;
  (*record.mutable_tres())["node"] = 2;
  EXPECT_EQ(Runs()[0].MemoryEfficiency(), 0.125) << "of one node's";
}

TEST_F(LedgerRunsTest, TheLongestTimeLimitIsNone) {
  v1::JobAccounting job;
  EXPECT_EQ(TimeLimitOf(job), std::nullopt);
  job.mutable_time_limit()->set_seconds(60);
  EXPECT_EQ(TimeLimitOf(job), absl::Minutes(1));
  job.mutable_time_limit()->set_seconds(315'576'000'000);
  EXPECT_EQ(TimeLimitOf(job), absl::InfiniteDuration());
}

}  // namespace
}  // namespace priorityd::tables
