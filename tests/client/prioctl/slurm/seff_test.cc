#include "client/prioctl/slurm/seff.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Job 7 of amy: 40 minutes on 2 nodes with 8 CPUs and 8 GB.
v1::LedgerRecord Record(bool told) {
  v1::LedgerRecord row;
  row.set_account("phys");
  v1::UsageRecord& record = *row.mutable_record();
  record.set_source("sacct");
  record.set_job_id("7");
  record.set_user("amy");
  record.mutable_start_time()->set_seconds(1000);
  record.mutable_end_time()->set_seconds(1000 + 2400);
  for (const auto& [name, count] :
       std::vector<std::pair<std::string, double>>{{"cpu", 8}, {"mem", 8192}, {"node", 2}}) {
    (*record.mutable_tres())[name] = count;
  }
  if (!told) return row;
  v1::JobAccounting& job = *record.mutable_job();
  job.set_state("COMPLETED");
  job.set_exit_code(0);
  job.mutable_submit_time()->set_seconds(0);
  job.mutable_time_limit()->set_seconds(3600);
  job.mutable_total_cpu()->set_seconds(4800);
  job.set_max_rss(1024);
  return row;
}

class SeffTest : public PrioctlTest {
 protected:
  void Answer(bool told) {
    fake_.list_usage_records.Answer(
        [told](const v1::ListUsageRecordsRequest& request, v1::ListUsageRecordsResponse* response) {
          response->set_cluster("c");
          if (told || !request.with_job()) *response->add_records() = Record(told);
          return grpc::Status::OK;
        });
  }
};

// 4,800 s of 8 CPUs for 2,400 s are a quarter, and so is 1 GB of a node's 4.
TEST_F(SeffTest, TheJobIsShownAsSeffShowsIt) {
  Answer(/*told=*/true);
  const std::string out = Output({"seff", "7"});
  EXPECT_EQ(out,
            "Job ID: 7\nCluster: c\nUser: amy\nAccount: phys\nState: COMPLETED (exit code 0)\n"
            "Nodes: 2\nCores per node: 4\nCPU Utilized: 01:20:00\n"
            "CPU Efficiency: 25.00% of 05:20:00 core-walltime\nJob Wall-clock time: 00:40:00\n"
            "Memory Utilized: 1.00 GB (highest of a task)\n"
            "Memory Efficiency: 25.00% of 4.00 GB per node\n");
  EXPECT_EQ(Run({"7"}, "", "seff").out, out) << "as a link of that name";
}

TEST_F(SeffTest, AFigureWithoutARecordIsPrintedAsUnknown) {
  Answer(/*told=*/false);
  EXPECT_THAT(Output({"seff", "7"}),
              AllOf(HasSubstr("State: not reported\n"), HasSubstr("CPU Utilized: not reported\n"),
                    HasSubstr("CPU Efficiency: not reported of 05:20:00 core-walltime\n"),
                    HasSubstr("Memory Efficiency: not reported of 4.00 GB per node\n")));
}

TEST_F(SeffTest, OfSeveralRunsTheLastIsShown) {
  fake_.list_usage_records.Answer([](const auto&, v1::ListUsageRecordsResponse* response) {
    *response->add_records() = Record(true);
    v1::LedgerRecord& later = *response->add_records() = Record(true);
    later.mutable_record()->mutable_start_time()->set_seconds(9000);
    later.mutable_record()->mutable_end_time()->set_seconds(9060);
    later.mutable_record()->mutable_job()->set_state("NODE_FAIL");
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"seff", "7"}).out,
              AllOf(HasSubstr("State: NODE_FAIL"), HasSubstr("00:01:00\n"),
                    HasSubstr("The last of 2 runs\n"), Not(HasSubstr("COMPLETED"))));
}

TEST_F(SeffTest, AJobThatTheLedgerDoesNotKnowIsAnError) {
  fake_.list_usage_records.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Finished run = Run({"seff", "9"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("job 9: got no record of it in the ledger"));
}

TEST_F(SeffTest, JsonHasTheRecords) {
  Answer(/*told=*/true);
  EXPECT_THAT(Run({"seff", "7", "--json"}).out,
              AllOf(HasSubstr("\"totalCpu\":\"4800s\""), HasSubstr("\"state\":\"COMPLETED\"")));
}

TEST_F(SeffTest, SacctHasColumnsOfReportedFacts) {
  Answer(/*told=*/true);
  fake_.list_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.report_usage.Answer([](const auto&, v1::ReportUsageResponse* response) {
    for (const char* job : {"7", "8"}) response->add_rows()->set_job_id(job);
    return grpc::Status::OK;
  });
  EXPECT_EQ(Output({"sacct", "-P", "-j", "7", "-o",
                    "JobID,State,ExitCode,Timelimit,TotalCPU,MaxRSS,CPUEff,MemEff"}),
            "JobID|State|ExitCode|Timelimit|TotalCPU|MaxRSS|CPUEff|MemEff\n"
            "7|COMPLETED|0:0|01:00:00|01:20:00|1048576K|25.00%|25.00%\n"
            "8|||||||\n");
}

}  // namespace
}  // namespace priorityd
