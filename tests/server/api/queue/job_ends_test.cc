// Jobs charged by what their frontends report of their ends (UsageFromJobEnd), over gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/ended_jobs_site.h"
#include "tests/server/service/voiding_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kPolicy[] = "UsageFromJobEnd=yes\nTimeZone=UTC\n";

class JobEndsTest : public VoidingSite {
 protected:
  JobEndsTest() {
    Start(kPolicy);
    RecalculateAt(Hour(0));
  }

  void Report(const v1::Job& job) { UpdateJobs(service_, Upserts({job})); }

  // CPU-hours of amy, which do not decay: half-lives are a week.
  double CpuHours() {
    v1::ReportUsageRequest request;
    *request.mutable_start_time() = ToTimestamp(Hour(-1000));
    *request.mutable_end_time() = ToTimestamp(Hour(1000));
    const auto response = AnswerTo<v1::ReportUsageResponse>(service_, request);
    double seconds = 0;
    for (const v1::UsageReportRow& row : response.rows()) {
      seconds += row.tres_seconds().at("billing");
    }
    return seconds / 3600;
  }

  // `source/record_id state` of the records that count and use something.
  std::vector<std::string> Records() {
    v1::ListUsageRecordsResponse response;
    EXPECT_TRUE(CallUnary(service_, v1::ListUsageRecordsRequest(), &response).ok());
    std::vector<std::string> records;
    for (const v1::LedgerRecord& row : response.records()) {
      if (row.billing() == 0) continue;
      records.push_back(absl::StrCat(row.record().source(), " ", row.record().job_id(), " ",
                                     row.record().job().state(), " ", row.billing()));
    }
    return records;
  }

  const RunOfJob run_ = {"7", Hour(1), Hour(3), 4};
};

TEST_F(JobEndsTest, AJobThatEndsIsChargedFromItsStartToItsEnd) {
  Report(RunningJob(run_));
  EXPECT_EQ(CpuHours(), 0);
  v1::Job ended = EndedJob(run_, v1::JOB_STATE_FAILED);
  ended.set_exit_code(3);
  ended.set_node_list("n1");
  Report(ended);
  EXPECT_EQ(CpuHours(), 8);
  EXPECT_THAT(Records(), ElementsAre("test 7 FAILED 4"));
  RecalculateAt(Hour(3));
  EXPECT_GT(UsageOf("a", "amy"), 0);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(JobEndsTest, TheSameReportAgainChargesNothing) {
  for (int i = 0; i < 3; ++i) Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 8);
}

TEST_F(JobEndsTest, ACollectorsRecordTakesThePlaceOfTheJobsEnd) {
  Report(EndedJob(run_));
  // It knows that the job was suspended for half an hour.
  RunOfJob first = run_, second = run_;
  first.end = Hour(1.5);
  second.start = Hour(2);
  Send(service_, Collected("1", first));
  EXPECT_EQ(CpuHours(), 2);
  Send(service_, Collected("2", second));
  EXPECT_EQ(CpuHours(), 6);
  EXPECT_EQ(Send(service_, Collected("2", second)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 6);
  EXPECT_THAT(Records(), ElementsAre("collector 7  4", "collector 7  4"));
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(JobEndsTest, AJobThatACollectorHasReportedIsNotCharged) {
  RunOfJob first = run_;
  first.end = Hour(1.5);
  Send(service_, Collected("1", first));
  Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 2);
  EXPECT_THAT(Records(), ElementsAre("collector 7  4"));
}

TEST_F(JobEndsTest, AnotherRunOfAJobIsAnotherCharge) {
  Send(service_, Collected("1", run_));
  const RunOfJob again = {"7", Hour(3), Hour(4), 4};
  Report(RunningJob(again));
  Report(EndedJob(again));
  EXPECT_EQ(CpuHours(), 12);
  // And another job.
  Report(EndedJob({"8", Hour(1), Hour(3), 4}));
  EXPECT_EQ(CpuHours(), 20);
}

TEST_F(JobEndsTest, ARejectedRecordTakesNoPlace) {
  Report(EndedJob(run_));
  v1::UsageRecord unknown = Collected("1", run_);
  unknown.set_account("nowhere");
  EXPECT_EQ(Send(service_, unknown).reason(), v1::REJECTION_REASON_UNKNOWN_ACCOUNT);
  v1::UsageRecord correction = Collected("1", run_);
  correction.set_replaces_record_id("0");
  EXPECT_EQ(Send(service_, correction).reason(), v1::REJECTION_REASON_UNKNOWN_RECORD);
  EXPECT_EQ(CpuHours(), 8);
}

TEST_F(JobEndsTest, ARecordWithoutJobIdCountsBesideTheEnd) {
  Report(EndedJob(run_));
  v1::UsageRecord record = Collected("1", run_);
  record.clear_job_id();
  Send(service_, record);
  EXPECT_EQ(CpuHours(), 16);
}

TEST_F(JobEndsTest, ACorrectedEndReplacesTheFirstReport) {
  Report(EndedJob(run_));
  RunOfJob longer = run_;
  longer.end = Hour(4);
  Report(EndedJob(longer));
  EXPECT_EQ(CpuHours(), 12);
  // It was a mistake: the job still runs, and ends later.
  Report(RunningJob(run_));
  Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 8);
  Send(service_, Collected("1", longer));
  EXPECT_EQ(CpuHours(), 12);
}

TEST_F(JobEndsTest, CountersOfARunningJobCount) {
  v1::UsageRecord counters = Collected("", run_);
  counters.clear_tres();
  (*counters.mutable_counters()->mutable_tres_seconds())["cpu"] = 7200;
  Report(EndedJob(run_));
  EXPECT_EQ(Send(service_, counters).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(CpuHours(), 2);
}

TEST_F(JobEndsTest, AVoidedEndStaysVoided) {
  Report(EndedJob(run_));
  const int64_t id = Void(OfSource("test")).void_id();
  EXPECT_EQ(CpuHours(), 0);
  RunOfJob longer = run_;
  longer.end = Hour(4);
  Report(EndedJob(longer));
  EXPECT_EQ(CpuHours(), 0);
  Restore(id);
  EXPECT_EQ(CpuHours(), 8);
  Send(service_, Collected("1", run_));
  EXPECT_EQ(CpuHours(), 8);
  EXPECT_THAT(Records(), ElementsAre("collector 7  4"));
}

TEST_F(JobEndsTest, AVoidedEndThatACollectorReportsIsNotRestored) {
  Report(EndedJob(run_));
  const int64_t id = Void(OfSource("test")).void_id();
  Send(service_, Collected("1", run_));
  EXPECT_EQ(CpuHours(), 8);
  EXPECT_EQ(Restore(id).restored_records(), 0);
  EXPECT_EQ(CpuHours(), 8);
}

TEST_F(JobEndsTest, WhatACollectorHadVoidedIsNotChargedByTheEnd) {
  Send(service_, Collected("1", run_));
  Void(OfSource("collector"));
  Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 0);
}

TEST_F(JobEndsTest, JobsWithoutStartOrEndAreNotCharged) {
  v1::Job cancelled = JobOf("1");
  cancelled.set_state(v1::JOB_STATE_CANCELLED);
  Report(cancelled);
  v1::Job unknown = EndedJob(run_);
  unknown.clear_end_time();
  Report(unknown);
  UpdateJobs(service_, Removal("7"));
  EXPECT_THAT(Records(), IsEmpty());
  // A later report that has both is charged.
  Report(EndedJob(run_));
  EXPECT_EQ(CpuHours(), 8);
}

TEST_F(JobEndsTest, AnEndThatCannotBeChargedIsTakenAllTheSame) {
  v1::Job stranger = EndedJob(run_);
  stranger.set_user("nobody");
  v1::Job fine = EndedJob({"8", Hour(1), Hour(2), 4});
  const auto response = UpdateJobs(service_, Upserts({stranger, fine}));
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(CpuHours(), 4);
}

TEST_F(JobEndsTest, ReservedRecordIdsAreRefused) {
  EXPECT_EQ(Send(service_, Collected("job-end:7:1", run_)).reason(),
            v1::REJECTION_REASON_INVALID_TEXT);
  Report(EndedJob(run_));
  v1::UsageRecord correction = Collected("1", run_);
  correction.set_source("test");
  correction.set_replaces_record_id("job-end:7:1");
  EXPECT_EQ(Send(service_, correction).reason(), v1::REJECTION_REASON_INVALID_TEXT);
  EXPECT_EQ(CpuHours(), 8);
}

TEST_F(JobEndsTest, TheFirstPartitionAndQosAndTheNamedBillingPrice) {
  v1::Job job = EndedJob(run_);
  job.add_qos("double");
  job.add_partitions("main");
  (*job.mutable_tres())["gres/gpu"] = 2;  // New to the cluster.
  Report(job);
  v1::ListUsageRecordsResponse response;
  ASSERT_TRUE(CallUnary(service_, v1::ListUsageRecordsRequest(), &response).ok());
  ASSERT_EQ(response.records_size(), 1);
  EXPECT_EQ(response.records(0).qos(), "double");
  EXPECT_EQ(response.records(0).record().partition(), "main");
  const auto& tres = response.records(0).record().tres();
  EXPECT_EQ((std::map<std::string, double>{tres.begin(), tres.end()}),
            (std::map<std::string, double>{{"cpu", 4}, {"gres/gpu", 2}, {"node", 1}}));
  v1::Job priced = EndedJob({"8", Hour(1), Hour(2), 4});
  (*priced.mutable_tres())["billing"] = 50;
  Report(priced);
  EXPECT_EQ(CpuHours(), 8 + 50);
}

TEST_F(JobEndsTest, SwitchedOffNothingIsChargedAndCollectorsStillTakeThePlace) {
  Report(EndedJob(run_));
  Apply("TimeZone=UTC\n");
  RecalculateAt(Hour(1));
  Report(EndedJob({"8", Hour(1), Hour(3), 4}));
  EXPECT_EQ(CpuHours(), 8);
  Send(service_, Collected("1", run_));
  EXPECT_EQ(CpuHours(), 8);
  EXPECT_THAT(Records(), ElementsAre("collector 7  4"));
}

TEST_F(JobEndsTest, IngestReadsNoEndsWhileTheParameterHasNeverBeenOn) {
  Apply("TimeZone=UTC\n");
  Execute("DROP TABLE priorityd.job_end, priorityd.job_record");
  Execute("DELETE FROM priorityd.job_end_since");
  Apply("TimeZone=UTC\nPriorityWeightAge=1\n");  // Another configuration is read again.
  EXPECT_EQ(Send(service_, Collected("1", run_)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

// Records that were written before the parameter are not found by their job unless they have
// accounting data: the jobs that they may be of are not charged.
TEST(JobEndsOnARealClockTest, JobsThatBeganBeforeTheParameterAreNotCharged) {
  TestService service;
  Import(service, SmallSite("TimeZone=UTC\n"));
  const RunOfJob before = {"1", TestEpoch() - absl::Hours(1), TestEpoch() + absl::Minutes(1), 4};
  const RunOfJob after = {"2", TestEpoch() + absl::Minutes(2), TestEpoch() + absl::Minutes(3), 4};
  Send(service, Collected("1", before));
  Import(service, SmallSite("TimeZone=UTC\nUsageFromJobEnd=yes\n"));
  Recalculate(service);
  service.SetNow(TestEpoch() + absl::Hours(1));
  UpdateJobs(service, Upserts({EndedJob(before), EndedJob(after)}));
  v1::ListUsageRecordsResponse response;
  ASSERT_TRUE(CallUnary(service, v1::ListUsageRecordsRequest(), &response).ok());
  std::vector<std::string> jobs;
  for (const v1::LedgerRecord& row : response.records()) {
    jobs.push_back(absl::StrCat(row.record().source(), " ", row.record().job_id()));
  }
  EXPECT_THAT(jobs, ElementsAre("collector 1", "test 2"));
}

}  // namespace
}  // namespace priorityd::rpc
