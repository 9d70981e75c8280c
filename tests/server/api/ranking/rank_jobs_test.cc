#include <gtest/gtest.h>

#include <limits>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

v1::Job* AddJob(const std::string& id, const std::string& user, v1::RankJobsRequest* request) {
  v1::Job* job = request->mutable_jobs()->add_jobs();
  job->set_job_id(id);
  job->set_user(user);
  return job;
}

class RankJobsTest : public ::testing::Test {
 protected:
  RankJobsTest() {
    Import(service_, SmallSite("PriorityWeightFairshare=1000\nPriorityWeightAge=1000\n"));
    service_.SetNow(TestEpoch() + absl::Hours(24));
  }

  TestService service_;
  v1::RankJobsRequest request_;
};

TEST_F(RankJobsTest, FairShareDecidesTheOrder) {
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch(), absl::Hours(1), 1);
  RecordUsage(service_, usage);
  const v1::Snapshot snapshot = Recalculate(service_);
  AddJob("1", "amy", &request_);
  AddJob("2", "cat", &request_);
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  ASSERT_EQ(response.ranked_size(), 2);
  EXPECT_EQ(response.ranked(0).job_id(), "2");
  EXPECT_EQ(response.ranked(0).rank(), 1u);
  EXPECT_EQ(response.ranked(0).partition(), "main");
  EXPECT_TRUE(response.ranked(0).best_of_job());
  EXPECT_FALSE(response.ranked(0).has_factors());
  EXPECT_EQ(response.ranked_total(), 2u);
  EXPECT_EQ(response.snapshot().generation(), snapshot.generation());
  EXPECT_EQ(response.snapshot().cluster(), "c");
}

TEST_F(RankJobsTest, TheFullViewHasFactorsAndNames) {
  AddJob("1", "amy", &request_);
  request_.set_view(v1::RANK_VIEW_FULL);
  const v1::RankedJob row = RankJobs(service_, request_).ranked(0);
  EXPECT_EQ(row.user(), "amy");
  EXPECT_EQ(row.account(), "a");
  EXPECT_DOUBLE_EQ(row.contributions().fair_share(), 1000 * row.factors().fair_share());
  EXPECT_EQ(row.priority(), static_cast<uint32_t>(row.contributions().fair_share()));
}

TEST_F(RankJobsTest, AsOfMovesAge) {
  *AddJob("1", "amy", &request_)->mutable_submit_time() = ToTimestamp(TestEpoch());
  request_.set_view(v1::RANK_VIEW_FULL);
  *request_.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(84));
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  EXPECT_DOUBLE_EQ(response.ranked(0).factors().age(), 0.5);
  EXPECT_EQ(response.as_of().seconds(), request_.as_of().seconds());
}

TEST_F(RankJobsTest, EachBadJobIsIneligibleAndTheOthersAreRanked) {
  AddJob("good", "amy", &request_);
  AddJob("", "amy", &request_);
  AddJob("no user", "", &request_);
  AddJob("nice", "amy", &request_)->set_nice(2147483646);
  AddJob("cpus", "amy", &request_)->set_cpus(-1);
  (*AddJob("nan", "amy", &request_)->mutable_tres())["cpu"] =
      std::numeric_limits<double>::quiet_NaN();
  (*AddJob("type", "amy", &request_)->mutable_tres())["gpus"] = 1;
  (*AddJob("list", "amy", &request_)->mutable_tres())["gres/gpu,x"] = 1;
  auto* twice = AddJob("twice", "amy", &request_)->mutable_tres();
  (*twice)["cpu"] = 1;
  (*twice)["CPU"] = 1;
  AddJob("nul", std::string("a\0b", 3), &request_);
  AddJob("ended", "amy", &request_)->set_state(v1::JOB_STATE_COMPLETED);
  AddJob("state", "amy", &request_)->set_state(static_cast<v1::JobState>(77));
  AddJob("hold", "amy", &request_)->set_hold(static_cast<v1::Hold>(77));
  AddJob("time", "amy", &request_)->mutable_submit_time()->set_nanos(-1);
  AddJob("limit", "amy", &request_)->mutable_time_limit()->set_seconds(-1);
  AddJob("good", "ben", &request_);  // The second of that id.
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  EXPECT_EQ(response.ranked_size(), 1);
  EXPECT_EQ(response.ineligible_size(), request_.jobs().jobs_size() - 1);
  for (const v1::IneligibleJob& job : response.ineligible()) {
    EXPECT_EQ(job.reason(), "InvalidJob") << job.DebugString();
    EXPECT_NE(job.message(), "");
  }
}

TEST_F(RankJobsTest, NiceBelowZeroIsTaken) {
  AddJob("1", "amy", &request_)->set_nice(-5);
  AddJob("2", "amy", &request_);
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  EXPECT_EQ(response.ranked(0).job_id(), "1");
  EXPECT_EQ(response.ranked(0).priority(), response.ranked(1).priority() + 5);
}

TEST_F(RankJobsTest, RunningJobsAreAnsweredApart) {
  AddJob("1", "amy", &request_)->set_state(v1::JOB_STATE_RUNNING);
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  EXPECT_EQ(response.ranked_size(), 0);
  ASSERT_EQ(response.running_size(), 1);
  EXPECT_EQ(response.running(0).job_id(), "1");
}

TEST_F(RankJobsTest, LimitsCutTheAnswerAndTotalsStay) {
  for (const char* id : {"1", "2", "3"}) AddJob(id, "amy", &request_);
  for (const char* id : {"4", "5"}) AddJob(id, "nobody", &request_);
  request_.set_limit(2);
  request_.set_ineligible_limit(0);
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  EXPECT_EQ(response.ranked_size(), 2);
  EXPECT_EQ(response.ranked_total(), 3u);
  EXPECT_EQ(response.ineligible_size(), 0);
  EXPECT_EQ(response.ineligible_total(), 2u);
}

TEST_F(RankJobsTest, FiltersKeepTheRowsTheyName) {
  AddJob("1", "amy", &request_);
  AddJob("2", "cat", &request_);
  request_.add_users("cat");
  const v1::RankJobsResponse response = RankJobs(service_, request_);
  ASSERT_EQ(response.ranked_size(), 1);
  EXPECT_EQ(response.ranked(0).job_id(), "2");
  EXPECT_EQ(response.ranked(0).rank(), 1u);
}

TEST_F(RankJobsTest, NoJobsIsAnEmptyAnswerAndNoSourceAnError) {
  request_.mutable_jobs();
  EXPECT_EQ(RankJobs(service_, request_).ranked_total(), 0u);
  request_.clear_source();
  grpc::Status status;
  RankJobs(service_, request_, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "source");
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FIELD");
}

TEST_F(RankJobsTest, ExplainReportsFactorsPathAndSentences) {
  v1::ExplainPriorityRequest explain;
  v1::RankJobsRequest jobs;
  AddJob("1", "amy", &jobs)->set_cpus(4);
  *explain.mutable_jobs() = jobs.jobs();
  v1::ExplainPriorityResponse response;
  const grpc::Status status = CallUnary(service_, explain, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.job_id(), "1");
  EXPECT_EQ(response.rank(), 1u);
  EXPECT_EQ(response.account(), "a");
  ASSERT_EQ(response.fair_share_path_size(), 3);
  EXPECT_EQ(response.fair_share_path(0).account(), "root");
  EXPECT_EQ(response.fair_share_path(2).user(), "amy");
  EXPECT_EQ(response.fair_share_algorithm(), "fair_tree");
  EXPECT_DOUBLE_EQ(response.billing().usage_per_second(), 4);
  EXPECT_GT(response.factors_size(), 0);
  EXPECT_GT(response.sentences_size(), 0);
}

TEST_F(RankJobsTest, ExplainingAnUnknownJobIsNotFound) {
  v1::ExplainPriorityRequest explain;
  explain.mutable_jobs()->add_jobs()->set_job_id("1");
  explain.set_job_id("2");
  v1::ExplainPriorityResponse response;
  const grpc::Status status = CallUnary(service_, explain, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_JOB");
}

TEST(RankJobsLimitTest, TheErrorNamesTheLimit) {
  TestService service({.database_url = "", .limits = {.max_jobs = 1, .max_records = 1}});
  Import(service, SmallSite());
  v1::RankJobsRequest request;
  AddJob("1", "amy", &request);
  AddJob("2", "amy", &request);
  grpc::Status status;
  RankJobs(service, request, &status);
  EXPECT_EQ(status.error_message(), "jobs.jobs: got 2, want at most 1 a call");
}

TEST(ClusterResolutionTest, TheOnlyClusterNeedsNoName) {
  TestService service;
  v1::RankJobsRequest request;
  request.mutable_jobs();
  grpc::Status status;
  RankJobs(service, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "NO_CLUSTER");

  Import(service, SmallSite());
  RankJobs(service, request, &status);
  EXPECT_TRUE(status.ok());

  v1::ImportRequest second = SmallSite();
  second.set_cluster("d");
  Import(service, second);
  RankJobs(service, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "AMBIGUOUS_CLUSTER");
  EXPECT_EQ(status.error_message(), "cluster: got none, want one of c, d");
  request.set_cluster("d");
  EXPECT_EQ(RankJobs(service, request).snapshot().cluster(), "d");
  request.set_cluster("e");
  RankJobs(service, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_CLUSTER");
}

}  // namespace
}  // namespace priorityd::rpc
