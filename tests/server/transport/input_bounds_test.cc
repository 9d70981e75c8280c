// What is too long or too many: refused by itself, with its bound and its value, and
// nothing else with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using testing::HasSubstr;

// Noise, which no index can store in less room than it takes.
std::string Noise(size_t bytes) {
  static auto* const random = new std::minstd_rand;
  std::string text(bytes, ' ');
  for (char& c : text) c = static_cast<char>('!' + (*random)() % 90);
  return text;
}

class InputBoundsTest : public ::testing::Test {
 protected:
  InputBoundsTest() {
    Import(service_, SmallSite("PriorityCalcPeriod=5256000\n"));
    service_.SetNow(TestEpoch() + absl::Hours(1));
  }

  // A record that names `count` TRES, `gres/<first>` and so on.
  static v1::UsageRecord Naming(const std::string& record_id, int first, int count) {
    v1::UsageRecord record = Usage(record_id, TestEpoch(), absl::Minutes(1), 1);
    record.clear_tres();
    for (int i = 0; i < count; ++i) (*record.mutable_tres())[absl::StrCat("gres/", first + i)] = 1;
    return record;
  }

  v1::JobUpdateResult Upsert(TestService& service, v1::Job job) {
    job.set_user("amy");
    v1::UpdateJobsRequest request;
    *request.add_upserts() = job;
    v1::Job* other = request.add_upserts();
    other->set_job_id(absl::StrCat("other ", ++others_));
    other->set_user("amy");
    const v1::UpdateJobsResponse response = UpdateJobs(service, request);
    EXPECT_EQ(response.upserts(1).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
    return response.upserts(0);
  }

  // Room in one caller's half for the longest policy, which counts 72 times.
  TestService service_{{.memory_budget = size_t{4} << 30}};
  int others_ = 0;
};

TEST_F(InputBoundsTest, ARecordOfSixtyThousandTresIsRejectedAlone) {
  v1::RecordUsageRequest request;
  *request.add_records() = Naming("many", 0, 60'000);
  *request.add_records() = Naming("most", 0, 64);
  v1::UsageRecord counters = Usage("", TestEpoch(), absl::Minutes(1), 1);
  counters.set_job_id("7");
  counters.clear_tres();
  for (int i = 0; i < 65; ++i) {
    (*counters.mutable_counters()->mutable_tres_seconds())[absl::StrCat("gres/", i)] = 1;
  }
  *request.add_records() = counters;
  const v1::RecordUsageResponse response = RecordUsage(service_, request);
  EXPECT_EQ(response.results(0).reason(), v1::REJECTION_REASON_TOO_MANY_TRES);
  EXPECT_EQ(response.results(0).field(), "records[0].tres");
  EXPECT_EQ(response.results(0).message(), "got 60000 names, want at most 64");
  EXPECT_EQ(response.results(1).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(response.results(2).reason(), v1::REJECTION_REASON_TOO_MANY_TRES);
  EXPECT_EQ(response.results(2).field(), "records[2].counters.tres_seconds");
}

TEST_F(InputBoundsTest, ASourceThatAddedItsPartOfTresIsRejectedByNameAndOthersAddTheirs) {
  v1::RecordUsageRequest request;
  for (int i = 0; i < 10; ++i) *request.add_records() = Naming(absl::StrCat(i), 50 * i, 50);
  *request.add_records() = Naming("more", 500, 1);
  *request.add_records() = Naming("old", 490, 10);
  for (v1::UsageRecord& record : *request.mutable_records()) record.set_source("greedy");
  *request.add_records() = Naming("other", 501, 50);
  request.mutable_records(12)->set_source("modest");
  const v1::RecordUsageResponse response = RecordUsage(service_, request);
  EXPECT_EQ(response.results(10).reason(), v1::REJECTION_REASON_TOO_MANY_TRES);
  EXPECT_EQ(response.results(10).field(), "records[10].tres[\"gres/500\"]");
  EXPECT_EQ(response.results(10).message(),
            "tres_names: got 501 of source greedy, want at most 500 of one caller "
            "(--quota=tres_names=N); use those that the cluster has");
  EXPECT_EQ(response.results(11).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(response.results(12).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(response.rejected(), 1) << response.DebugString();
}

// By one replica what the other one has registered too; another cluster has room of its own.
TEST_F(InputBoundsTest, AClusterContinuesWithTheTresItHasWhenItMayHaveNoMore) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(service_.now());
  v1::RecordUsageRequest request;
  for (int i = 0; i < 20; ++i) {
    *request.add_records() = Naming(absl::StrCat(i), 50 * i, 50);
    request.mutable_records(i)->set_source(absl::StrCat("collector ", i % 2));
  }
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 20);
  request.Clear();
  *request.add_records() = Naming("new", 999, 2);
  *request.add_records() = Naming("old", 990, 10);
  *request.add_records() = Usage("own", TestEpoch(), absl::Minutes(1), 1);
  for (TestService* replica : {&service_, &other}) {
    const v1::RecordUsageResponse response = RecordUsage(*replica, request);
    EXPECT_EQ(response.results(0).reason(), v1::REJECTION_REASON_TOO_MANY_TRES);
    EXPECT_EQ(response.results(0).field(), "records[0].tres[\"gres/1000\"]");
    EXPECT_THAT(response.results(0).message(), HasSubstr("want at most 1000"));
    EXPECT_EQ(response.rejected(), 1) << response.DebugString();
  }
  v1::ImportRequest site = SmallSite();
  site.mutable_files(0)->mutable_content()->replace(0, 13, "ClusterName=d");
  site.mutable_files(2)->mutable_content()->replace(0, 13, "Cluster - 'd'");
  Import(service_, site);
  request.set_cluster("d");
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 3);
}

TEST_F(InputBoundsTest, ARecordThatNobodyCanBeChargedForTakesNoRoom) {
  v1::RecordUsageRequest request;
  for (int i = 0; i < 20; ++i) {
    *request.add_records() = Naming(absl::StrCat(i), 50 * i, 50);
    request.mutable_records(i)->set_account("nobody's");
  }
  EXPECT_EQ(RecordUsage(service_, request).rejected(), 20);
  request.Clear();
  *request.add_records() = Naming("new", 5000, 50);
  EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
}

TEST_F(InputBoundsTest, WhatARejectionRepeatsIsShort) {
  v1::RecordUsageRequest request;
  *request.add_records() = Usage("1", TestEpoch(), absl::Minutes(1), 1);
  request.mutable_records(0)->set_account(Noise(1024));
  *request.add_records() = Usage("2", TestEpoch(), absl::Minutes(1), 1);
  (*request.mutable_records(1)->mutable_tres())[Noise(1000)] = 1;
  const v1::RecordUsageResponse response = RecordUsage(service_, request);
  for (const v1::UsageRecordResult& result : response.results()) {
    EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_REJECTED);
    EXPECT_LT(result.field().size() + result.message().size(), 500u);
  }
}

// A job_id of 6000 characters does not fit an index of PostgreSQL.
TEST_F(InputBoundsTest, AJobWithATextTooLongIsInvalidAlone) {
  const auto with = [](const auto& set) {
    v1::Job job;
    job.set_job_id("j");
    set(job);
    return job;
  };
  const std::string longest = Noise(1025);
  const std::pair<std::string, v1::Job> kJobs[] = {
      {"job_id", with([](v1::Job& job) { job.set_job_id(Noise(6000)); })},
      {"job_id", with([&](v1::Job& job) { job.set_job_id(longest); })},
      {"account", with([&](v1::Job& job) { job.set_account(longest); })},
      {"name", with([&](v1::Job& job) { job.set_name(longest); })},
      {"reservation", with([&](v1::Job& job) { job.set_reservation(longest); })},
      {"partitions[0]", with([&](v1::Job& job) { job.add_partitions(longest); })},
      {"qos[0]", with([&](v1::Job& job) { job.add_qos(longest); })},
      {"dependency", with([](v1::Job& job) { job.set_dependency(Noise((64 << 10) + 1)); })},
      {"array_task_ids", with([](v1::Job& job) { job.set_array_task_ids(Noise((64 << 10) + 1)); })},
      {"partitions", with([](v1::Job& job) {
         for (int i = 0; i < 257; ++i) job.add_partitions(absl::StrCat("p", i));
       })},
      {"qos", with([](v1::Job& job) {
         for (int i = 0; i < 257; ++i) job.add_qos(absl::StrCat("q", i));
       })},
      {"tres", with([](v1::Job& job) {
         for (int i = 0; i < 65; ++i) (*job.mutable_tres())[absl::StrCat("gres/", i)] = 1;
       })},
      {"tres", with([&](v1::Job& job) { (*job.mutable_tres())["gres/" + longest] = 1; })},
  };
  for (const auto& [field, job] : kJobs) {
    const v1::JobUpdateResult result = Upsert(service_, job);
    EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_INVALID) << field;
    EXPECT_EQ(result.field().substr(0, field.size()), field) << result.field();
    EXPECT_THAT(result.message(), HasSubstr("want at most")) << field;
    EXPECT_LT(result.field().size() + result.message().size(), 500u);
  }
  EXPECT_EQ(Upsert(service_, with([](v1::Job& job) { job.set_job_id(Noise(1024)); })).outcome(),
            v1::UPDATE_OUTCOME_UPSERTED);
}

TEST_F(InputBoundsTest, ARemovalThatCannotBeIsInvalidAlone) {
  v1::UpdateJobsRequest request;
  v1::Job* job = request.add_upserts();
  job->set_job_id("1");
  job->set_user("amy");
  UpdateJobs(service_, request);
  request.Clear();
  request.add_removals(std::string("a\0b", 3));
  request.add_removals("1");
  request.add_removals(Noise(1025));
  const v1::UpdateJobsResponse response = UpdateJobs(service_, request);
  ASSERT_EQ(response.removals_size(), 3);
  EXPECT_EQ(response.removals(0).outcome(), v1::UPDATE_OUTCOME_INVALID);
  EXPECT_EQ(response.removals(0).field(), "job_id");
  EXPECT_EQ(response.removals(1).outcome(), v1::UPDATE_OUTCOME_REMOVED);
  EXPECT_EQ(response.removals(2).outcome(), v1::UPDATE_OUTCOME_INVALID);
  EXPECT_THAT(response.removals(2).message(), HasSubstr("got 1025 bytes, want at most 1024"));
}

TEST_F(InputBoundsTest, AnInlineJobTooLongIsIneligibleAndTheOthersAreRanked) {
  v1::RankJobsRequest request;
  request.mutable_jobs()->add_jobs()->set_job_id(Noise(1025));
  request.mutable_jobs()->add_jobs()->set_job_id("1");
  for (v1::Job& job : *request.mutable_jobs()->mutable_jobs()) job.set_user("amy");
  const v1::RankJobsResponse response = RankJobs(service_, request);
  ASSERT_EQ(response.ineligible_size(), 1);
  EXPECT_EQ(response.ineligible(0).reason(), "InvalidJob");
  EXPECT_EQ(response.ranked_size(), 1);
}

// 256 x 256 pairs each: a few jobs would make more rows than memory holds.
TEST_F(InputBoundsTest, ACallHasABoundOnItsPairsOfPartitionAndQos) {
  TestService service({.limits = {.max_jobs = 100}});
  Import(service, SmallSite());
  v1::RankJobsRequest request;
  v1::Job* job = request.mutable_jobs()->add_jobs();
  job->set_job_id("1");
  job->set_user("amy");
  for (int i = 0; i < 200; ++i) job->add_partitions(absl::StrCat("p", i));
  for (int i = 0; i < 6; ++i) job->add_qos(absl::StrCat("q", i));
  grpc::Status status;
  RankJobs(service, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("got 1200 pairs"));
  EXPECT_THAT(status.error_message(), HasSubstr("want at most 1000"));
  job->mutable_qos()->RemoveLast();
  RankJobs(service, request);
}

TEST_F(InputBoundsTest, TheFieldsOfARequestAreBoundedByName) {
  const std::string too_long = Noise(1025);
  grpc::Status status;
  v1::RankJobsRequest rank;
  rank.mutable_tracked();
  rank.add_users(too_long);
  for (int i = 0; i < 10'001; ++i) rank.add_accounts("a");
  RankJobs(service_, rank, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "accounts,users[0]");
  v1::ExplainPriorityRequest explain;
  explain.mutable_tracked();
  explain.set_job_id(too_long);
  explain.set_partition(too_long);
  explain.set_qos(too_long);
  explain.mutable_compare_to()->set_job_id(too_long + "2");
  ExplainPriority(service_, explain, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "job_id,partition,qos,compare_to.job_id");
  v1::ListJobsRequest list;
  list.add_job_ids(too_long);
  list.set_page_token(too_long);
  ListJobs(service_, list, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "page_token,job_ids[0]");
  v1::ApplyPolicyRequest policy;
  policy.set_text(std::string((16 << 20) + 1, '#'));
  policy.set_file_name(too_long);
  policy.set_comment(std::string((16 << 10) + 1, 'c'));
  ApplyPolicy(service_, policy, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "text,file_name,comment");
  v1::ReportUsageRequest report;
  for (int i = 0; i < 5; ++i) report.add_group_by(v1::REPORT_GROUPING_USER);
  AnswerTo<v1::ReportUsageResponse>(service_, report, &status);
  EXPECT_THAT(DetailsOf(status).Fields(), HasSubstr("group_by"));
  v1::ListLeasesRequest leases;
  for (int i = 0; i < 5; ++i) leases.add_states(v1::LEASE_STATE_ENDED);
  AnswerTo<v1::ListLeasesResponse>(service_, leases, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "states");
  v1::ImportRequest import;
  AddFile(v1::FILE_KIND_SLURM_CONF, too_long, "", &import);
  Import(service_, import, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "files[0].name");
}

TEST_F(InputBoundsTest, APolicyThatMemoryHasNoRoomForOnceItIsReadIsRefusedBeforeItIs) {
  TestService small({.memory_budget = size_t{64} << 20});
  Import(small, SmallSite());
  v1::SimulateRequest request;
  request.mutable_tracked();
  request.set_policy_text(std::string(1 << 20, '#') + "\nPriorityType=priority/multifactor\n");
  grpc::Status status;
  AnswerTo<v1::SimulateResponse>(small, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "MEMORY_BUDGET") << status.error_message();
  request.set_policy_text("PriorityType=priority/multifactor\n");
  AnswerTo<v1::SimulateResponse>(small, request);
}

}  // namespace
}  // namespace priorityd::rpc
