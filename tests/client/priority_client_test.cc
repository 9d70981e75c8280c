#include "client/priority_client.h"

#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"
#include "client/usage_batcher.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "tests/client/fake_priorityd.h"

namespace priorityd::client {
namespace {

using ::testing::ElementsAre;

class PriorityClientTest : public ::testing::Test {
 protected:
  PriorityClient Connect(const std::string& cluster = "") {
    return PriorityClient({.address = fake_.address(),
                           .cluster = cluster,
                           .deadline = absl::Minutes(1),
                           .retry = {.initial_backoff = absl::Milliseconds(1)}});
  }

  FakePriorityd fake_;
};

// Answers UNAVAILABLE the first time and OK from then on.
template <typename Method>
void FailOnce(Method& method) {
  method.Answer([&, calls = 0](const auto&, auto*) mutable {
    return calls++ == 0 ? grpc::Status(grpc::UNAVAILABLE, "starting") : grpc::Status::OK;
  });
}

void AcceptAll(FakePriorityd& fake) {
  fake.record_usage.Answer([](const v1::RecordUsageRequest& request, auto* response) {
    for (int i = 0; i < request.records_size(); ++i) {
      response->add_results()->set_status(v1::USAGE_RECORD_STATUS_ACCEPTED);
    }
    response->set_accepted(request.records_size());
    return grpc::Status::OK;
  });
}

TEST_F(PriorityClientTest, TheClusterIsFilledInWhereTheRequestNamesNone) {
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.update_cluster.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const PriorityClient client = Connect("orc");
  v1::RankJobsRequest named;
  named.set_cluster("elf");
  ASSERT_TRUE(client.RankJobs({}).ok());
  ASSERT_TRUE(client.RankJobs(named).ok());
  ASSERT_TRUE(client.UpdateCluster({}).ok());
  EXPECT_EQ(fake_.rank_jobs.requests()[0].cluster(), "orc");
  EXPECT_EQ(fake_.rank_jobs.requests()[1].cluster(), "elf");
  EXPECT_EQ(fake_.update_cluster.requests()[0].cluster().name(), "orc");
}

TEST_F(PriorityClientTest, ReadsAndRecordsAreRepeatedWhenTheServiceIsAway) {
  FailOnce(fake_.rank_jobs);
  FailOnce(fake_.record_usage);
  FailOnce(fake_.get_policy);
  const PriorityClient client = Connect();
  EXPECT_TRUE(client.RankJobs({}).ok());
  EXPECT_TRUE(client.RecordUsage({}).ok());
  EXPECT_TRUE(client.GetPolicy({}).ok());
  EXPECT_EQ(fake_.record_usage.requests().size(), 2);
}

TEST_F(PriorityClientTest, AnImportIsSentOnce) {
  FailOnce(fake_.import);
  EXPECT_TRUE(absl::IsUnavailable(Connect().Import({}).status()));
  EXPECT_EQ(fake_.import.requests().size(), 1);
}

TEST_F(PriorityClientTest, NobodyListeningIsUnavailable) {
  const std::string address = AddressOfNobody();
  const PriorityClient client(
      {.address = address, .retry = {.initial_backoff = absl::Milliseconds(1)}});
  EXPECT_TRUE(absl::IsUnavailable(client.GetPolicy({}).status()));
}

TEST_F(PriorityClientTest, MessagesBeyondGrpcsUsualFourMebibytesTravelBothWays) {
  fake_.rank_jobs.Answer([](const v1::RankJobsRequest& request, auto* response) {
    for (const auto& job : request.jobs().jobs()) {
      response->add_ranked()->set_job_id(job.job_id());
    }
    return grpc::Status::OK;
  });
  v1::RankJobsRequest request;
  for (int i = 0; i < 8; ++i)
    request.mutable_jobs()->add_jobs()->set_job_id(std::string(1 << 20, 'x'));
  const auto response = Connect().RankJobs(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->ranked_size(), 8);
}

// Answers two pages; the first `aborts` lists end after their first page.
void AnswerTwoPages(FakePriorityd& fake, int aborts) {
  fake.list_shares.Answer([aborts](const v1::ListSharesRequest& request, auto* response) mutable {
    if (!request.page_token().empty() && aborts-- > 0) {
      return grpc::Status(grpc::ABORTED, "the snapshot is gone");
    }
    const bool first = request.page_token().empty();
    response->add_shares()->set_account(first ? "root" : "a");
    if (first) response->set_next_page_token("2");
    response->set_fair_share_algorithm("fair_tree");
    return grpc::Status::OK;
  });
}

TEST_F(PriorityClientTest, AllPagesOfTheSharesComeInOneAnswer) {
  AnswerTwoPages(fake_, 0);
  const auto shares = Connect().ListAllShares({});
  ASSERT_TRUE(shares.ok()) << shares.status();
  ASSERT_EQ(shares->shares_size(), 2);
  EXPECT_EQ(shares->shares(1).account(), "a");
  EXPECT_EQ(shares->next_page_token(), "");
}

TEST_F(PriorityClientTest, AListStartsAgainWhenItsSnapshotIsGone) {
  AnswerTwoPages(fake_, 1);
  const auto shares = Connect().ListAllShares({});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ(shares->shares_size(), 2);
}

TEST_F(PriorityClientTest, AListThatNeverGetsThroughIsAborted) {
  AnswerTwoPages(fake_, 1000);
  EXPECT_TRUE(absl::IsAborted(Connect().ListAllShares({}).status()));
}

// Forecasts each asked job, at the number of the call.
void ForecastAll(FakePriorityd& fake) {
  fake.forecast_starts.Answer(
      [calls = 0](const v1::ForecastStartsRequest& request, auto* response) mutable {
        response->mutable_as_of()->set_seconds(++calls);
        response->mutable_as_of()->set_nanos(calls % 2);
        response->mutable_score()->add_started_by(calls);
        for (const std::string& id : request.job_ids()) response->add_forecasts()->set_job_id(id);
        for (const v1::Job& job : request.jobs().jobs()) {
          response->add_forecasts()->set_job_id(job.job_id());
        }
        return grpc::Status::OK;
      });
}

TEST_F(PriorityClientTest, ForecastsOfAnyNumberOfJobsAreOneAnswer) {
  for (const auto& [jobs, calls] : {std::pair(0, 1), {10'000, 1}, {10'001, 2}, {20'001, 3}}) {
    FakePriorityd fake;
    ForecastAll(fake);
    v1::ForecastStartsRequest request;
    for (int i = 0; i < jobs; ++i) request.add_job_ids(absl::StrCat(i));
    request.add_levels(.5);
    request.mutable_jobs()->add_jobs()->set_job_id("supposed");
    const auto all = PriorityClient({.address = fake.address()}).ForecastAllStarts(request);
    ASSERT_TRUE(all.ok()) << all.status();
    ASSERT_EQ(all->forecasts_size(), jobs + 1);
    for (int i = 0; i < jobs; ++i) ASSERT_EQ(all->forecasts(i).job_id(), absl::StrCat(i));
    EXPECT_EQ(all->forecasts(jobs).job_id(), "supposed");
    EXPECT_EQ(all->as_of().seconds(), calls);
    EXPECT_EQ(all->as_of().nanos(), calls % 2);
    EXPECT_THAT(all->score().started_by(), ElementsAre(calls));
    EXPECT_EQ(fake.forecast_starts.requests().size(), calls);
    for (const auto& part : fake.forecast_starts.requests()) {
      EXPECT_LE(part.job_ids_size(), 10'000);
      EXPECT_THAT(part.levels(), ElementsAre(.5));
    }
  }
}

TEST_F(PriorityClientTest, AForecastThatIsRefusedIsNoAnswer) {
  fake_.forecast_starts.Answer([calls = 0](const auto&, auto*) mutable {
    return ++calls == 1 ? grpc::Status::OK : grpc::Status(grpc::PERMISSION_DENIED, "no");
  });
  v1::ForecastStartsRequest request;
  for (int i = 0; i < 10'001; ++i) request.add_job_ids(absl::StrCat(i));
  EXPECT_TRUE(absl::IsPermissionDenied(Connect().ForecastAllStarts(request).status()));
}

TEST_F(PriorityClientTest, RecordsTravelInBatches) {
  AcceptAll(fake_);
  const PriorityClient client = Connect();
  std::vector<int64_t> firsts;
  UsageBatcher batcher(&client, 2, [&](int64_t first, const auto&) { firsts.push_back(first); });
  for (int i = 0; i < 5; ++i) {
    v1::UsageRecord record;
    record.set_record_id(absl::StrCat(i));
    ASSERT_TRUE(batcher.Add(record).ok());
  }
  ASSERT_TRUE(batcher.Flush().ok());
  ASSERT_TRUE(batcher.Flush().ok());
  EXPECT_THAT(firsts, ElementsAre(0, 2, 4));
  const auto requests = fake_.record_usage.requests();
  ASSERT_EQ(requests.size(), 3);
  EXPECT_EQ(requests[2].records(0).record_id(), "4");
}

TEST_F(PriorityClientTest, ABatchThatFailedIsSentAgainByTheNextFlush) {
  fake_.record_usage.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::INTERNAL, "disk full"); });
  const PriorityClient client = Connect();
  UsageBatcher batcher(&client, 10, [](int64_t, const auto&) {});
  ASSERT_TRUE(batcher.Add({}).ok());
  EXPECT_FALSE(batcher.Flush().ok());
  AcceptAll(fake_);
  EXPECT_TRUE(batcher.Flush().ok());
  EXPECT_EQ(fake_.record_usage.requests().back().records_size(), 1);
}

TEST_F(PriorityClientTest, AnAnswerWithTooFewResultsIsAnError) {
  fake_.record_usage.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const PriorityClient client = Connect();
  UsageBatcher batcher(&client, 1, [](int64_t, const auto&) {});
  ASSERT_TRUE(batcher.Add({}).ok());
  EXPECT_EQ(batcher.Flush().code(), absl::StatusCode::kInternal);
}

TEST_F(PriorityClientTest, ABatcherKeepsNoMoreThanItMayAndSendsItLater) {
  fake_.record_usage.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::INTERNAL, "disk full"); });
  const PriorityClient client = Connect();
  UsageBatcher batcher(
      &client, 2, [](int64_t, const auto&) {}, /*max_kept=*/10);
  int64_t tried = 0;
  absl::Status added;
  while (tried < 100 && !IsSpoolFull(added = batcher.Add({}))) ++tried;
  EXPECT_EQ(tried, 10);
  EXPECT_EQ(batcher.kept(), 10);
  EXPECT_EQ(added.code(), absl::StatusCode::kResourceExhausted);
  AcceptAll(fake_);
  ASSERT_TRUE(batcher.Flush().ok());
  EXPECT_EQ(batcher.kept(), 0);
  EXPECT_TRUE(batcher.Add({}).ok());
}

TEST_F(PriorityClientTest, ABatcherWithLittleRoomWaitsForAServiceThatAnswers) {
  AcceptAll(fake_);
  const PriorityClient client = Connect();
  UsageBatcher batcher(
      &client, 2, [](int64_t, const auto&) {}, /*max_kept=*/10);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(batcher.Add({}).ok()) << i;
  ASSERT_TRUE(batcher.Flush().ok());
  EXPECT_EQ(batcher.kept(), 0);
}

grpc::Status RateLimited(const std::string& text) {
  google::rpc::ErrorInfo info;
  info.set_reason("RATE_LIMITED");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(1);
  google::rpc::Status status;
  status.add_details()->PackFrom(info);
  status.add_details()->PackFrom(retry);
  return {grpc::RESOURCE_EXHAUSTED, text, status.SerializeAsString()};
}

TEST_F(PriorityClientTest, ARateLimitIsReportedOnceWithoutCommandsToTheTerminal) {
  fake_.rank_jobs.Answer([calls = 0](const auto&, auto*) mutable {
    return calls++ < 2 ? RateLimited("slow\x1b[2J\u009b31m down") : grpc::Status::OK;
  });
  std::ostringstream reported;
  std::streambuf* const standard_error = std::cerr.rdbuf(reported.rdbuf());
  const absl::Status ranked = Connect().RankJobs({}).status();
  std::cerr.rdbuf(standard_error);
  EXPECT_TRUE(ranked.ok()) << ranked;
  EXPECT_EQ(reported.str(), "priorityd: slow\\u001b[2J\\u009b31m down; waiting\n");
}

TEST_F(PriorityClientTest, ALimitOfTheServiceIsNoFullSpool) {
  EXPECT_FALSE(IsSpoolFull(absl::ResourceExhaustedError("as many as there may be")));
}

}  // namespace
}  // namespace priorityd::client
