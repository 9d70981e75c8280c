// Streams go on as long as what opened them holds.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "client/authorization.h"
#include "client/priority_client.h"
#include "client/ranking_watch.h"
#include "client/rpc_error.h"
#include "client/usage_stream.h"
#include "storage/database/database.h"
#include "tests/server/identity/slurm_tokens.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"
#include "tests/temporary_folder.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

const int64_t kStart = absl::ToUnixSeconds(identity::WhileSlurmTokensHold());
const int64_t kSoon = kStart + 10;
constexpr char kBearer[] = "Bearer ";

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

class StreamProofsTest : public ::testing::Test {
 protected:
  std::unique_ptr<grpc::ClientContext> Context(const std::string& authorization) {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
    context->AddMetadata("authorization", authorization);
    return context;
  }

  void Execute(const char* sql) {
    const absl::Status done = replica().database().Write(
        [&](storage::Transaction& transaction) { return transaction.ExecuteScript(sql); });
    ASSERT_TRUE(done.ok()) << done;
    ASSERT_TRUE(replica().ReadRoles().ok());
  }

  v1::StreamUsageRequest Batch(const std::string& record_id) {
    v1::StreamUsageRequest request;
    request.set_batch_id(1);
    *request.mutable_batch()->add_records() =
        Usage(record_id, TestEpoch() - absl::Hours(2), absl::Hours(1), 100);
    return request;
  }

  double CpuHoursOfAll() {
    v1::ReportUsageRequest request;
    *request.mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(24));
    *request.mutable_end_time() = ToTimestamp(TestEpoch());
    const auto answer =
        site_.Call<v1::ReportUsageResponse>("root", "PriorityService/ReportUsage", request);
    return answer.rows(0).tres_seconds().at("cpu") / 3600;
  }

  // Opens a stream and has a batch acknowledged, then makes `change`; how the stream ends.
  grpc::Status EndOfUsageStream(const std::string& authorization,
                                const std::function<void()>& change) {
    const auto context = Context(authorization);
    const auto stream = stub_->StreamUsage(context.get());
    EXPECT_TRUE(stream->Write(Batch("acknowledged")));
    v1::StreamUsageResponse response;
    EXPECT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.results().accepted(), 1);
    change();
    EXPECT_FALSE(stream->Read(&response));
    return stream->Finish();
  }

  grpc::Status EndOfWatch(const std::string& authorization, const std::function<void()>& change) {
    const auto context = Context(authorization);
    const auto stream = stub_->WatchRanking(context.get(), v1::WatchRankingRequest());
    v1::WatchRankingResponse response;
    EXPECT_TRUE(stream->Read(&response));
    change();
    while (stream->Read(&response)) {  // What the watch had to send before.
    }
    return stream->Finish();
  }

  client::PriorityClient ClientWith(const std::string& token_file) {
    return client::PriorityClient(
        {.address = replica().address(),
         .deadline = absl::Seconds(30),
         .authorize = [this, authorize = client::MakeAuthorize(
                                 {.proof = client::Proof::kToken, .token_file = token_file})] {
           ++authorized_;
           return authorize();
         }});
  }

  absl::Status SendAndFlush(const std::string& record_id, client::UsageStream* stream) {
    absl::Status sent = stream->Send(Batch(record_id).batch());
    return sent.ok() ? stream->Flush() : sent;
  }

  void WriteToken(const std::string& user, int64_t exp) {
    WriteFile(token_file_, replica().SlurmToken(user, exp).substr(sizeof(kBearer) - 1));
  }

  SecuredReplica& replica() { return site_.replica(); }

  std::atomic<int64_t> now_ = kStart;
  PrivateSite site_{"", [this] { return absl::FromUnixSeconds(now_); }};
  const std::unique_ptr<v1::PriorityService::Stub> stub_ = v1::PriorityService::NewStub(
      grpc::CreateChannel(replica().address(), grpc::InsecureChannelCredentials()));
  std::atomic<int> authorized_ = 0;
  const TemporaryFolder folder_;
  const std::string token_file_ = folder_.path() + "/token";
};

TEST_F(StreamProofsTest, AUsageStreamEndsWithItsTokenAndWhatWasAcknowledgedStays) {
  const grpc::Status end =
      EndOfUsageStream(replica().SlurmToken("root", kSoon), [this] { now_ = kSoon; });
  EXPECT_EQ(end.error_code(), grpc::UNAUTHENTICATED);
  EXPECT_EQ(DetailsOf(end).reason, "TOKEN_EXPIRED");
  EXPECT_EQ(CpuHoursOfAll(), 107);
}

TEST_F(StreamProofsTest, AUsageStreamEndsWithTheRoleThatOpenedIt) {
  const grpc::Status end = EndOfUsageStream(replica().SlurmToken("adm"), [this] {
    Execute("UPDATE priorityd.cluster_user SET admin_level = '' WHERE name = 'adm'");
  });
  EXPECT_EQ(end.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(DetailsOf(end).reason, "ROLE_REQUIRED");
  EXPECT_THAT(end.error_message(), HasSubstr("want one of administrator, collector"));
  EXPECT_EQ(CpuHoursOfAll(), 107);
}

TEST_F(StreamProofsTest, AWatchEndsWithItsToken) {
  const grpc::Status end = EndOfWatch(replica().SlurmToken("amy", kSoon), [this] { now_ = kSoon; });
  EXPECT_EQ(end.error_code(), grpc::UNAUTHENTICATED);
  EXPECT_EQ(DetailsOf(end).reason, "TOKEN_EXPIRED");
}

TEST_F(StreamProofsTest, AWatchEndsWithTheRoleThatTheFileGave) {
  const grpc::Status end = EndOfWatch(replica().ServiceToken("dashboard"), [this] {
    const std::string path = replica().auth_file();
    WriteFile(path, absl::StrReplaceAll(ReadFile(path),
                                        {{"Principal=k8s:dashboard Role=dashboard\n", ""}}));
  });
  EXPECT_EQ(end.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(DetailsOf(end).reason, "ROLE_REQUIRED");
}

// A watch that returns what it shows by now.
class Shown {
 public:
  Shown(v1::PriorityService::Stub& stub, grpc::ClientContext* context)
      : stream_(stub.WatchRanking(context, v1::WatchRankingRequest())) {
    Await();
  }

  std::vector<std::string> Await() {
    v1::WatchRankingResponse response;
    if (!stream_->Read(&response)) Die(stream_->Finish());
    EXPECT_TRUE(top_.Apply(response).ok());
    std::vector<std::string> ids;
    for (const v1::RankedJob& row : top_.ranked()) ids.push_back(row.job_id());
    return ids;
  }

 private:
  // Who awaits something would wait for ever.
  static void Die(const grpc::Status& status) {
    ADD_FAILURE() << status.error_message();
    std::abort();
  }

  const std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> stream_;
  client::WatchedTop top_;
};

// Each time the watch is given the whole state, or a change that leaves no stranger in it.
TEST_F(StreamProofsTest, WhatAWatchShowsFollowsThePolicyAndTheRoles) {
  const auto of_amy = Context(replica().SlurmToken("amy"));
  const auto of_coo = Context(replica().SlurmToken("coo"));
  const auto of_ope = Context(replica().SlurmToken("ope"));
  Shown amy(*stub_, of_amy.get());
  Shown coo(*stub_, of_coo.get());
  Shown ope(*stub_, of_ope.get());
  site_.SetPrivateData("jobs");
  while (amy.Await() != std::vector<std::string>{"job-amy"}) {
  }
  while (coo.Await().size() != 2) {
  }
  Execute(
      "UPDATE priorityd.cluster_user SET admin_level = '' WHERE name = 'ope';"
      "UPDATE priorityd.cluster_user SET coordinated = '{}' WHERE name = 'coo'");
  while (!ope.Await().empty()) {
  }
  while (!coo.Await().empty()) {
  }
  site_.SetPrivateData("");
  while (amy.Await().size() != 3) {
  }
}

// The caller's row moves, and so do the places of strangers: the client keeps up.
TEST_F(StreamProofsTest, AWatchWithGapsIsKeptUpToDate) {
  site_.SetPrivateData("jobs");
  const auto context = Context(replica().SlurmToken("amy"));
  Shown amy(*stub_, context.get());
  v1::UpdateJobsRequest more;
  for (const char* id : {"1", "2"}) *more.add_upserts() = JobOf(id, "cat");
  *more.add_upserts() = JobOf("3", "amy");
  site_.Call<v1::UpdateJobsResponse>("root", "PriorityService/UpdateJobs", more);
  while (amy.Await().size() != 2) {
  }
  v1::UpdateJobsRequest removal;
  removal.add_removals("job-cat");
  removal.add_removals("job-amy");
  site_.Call<v1::UpdateJobsResponse>("root", "PriorityService/UpdateJobs", removal);
  while (amy.Await() != std::vector<std::string>{"3"}) {
  }
}

TEST_F(StreamProofsTest, TheClientsUsageStreamContinuesWithANewTokenWhereThereIsOne) {
  WriteToken("root", kSoon);
  const client::PriorityClient client = ClientWith(token_file_);
  int acknowledged = 0;
  client::UsageStream stream(&client, [&](const v1::RecordUsageResponse& answer) {
    acknowledged += static_cast<int>(answer.accepted());
  });
  ASSERT_TRUE(stream.Send(Batch("first").batch()).ok());
  ASSERT_TRUE(stream.Flush().ok());
  now_ = kSoon;
  // None yet: the batch is kept.
  absl::Status sent;
  while (sent.ok()) sent = SendAndFlush("second", &stream);
  EXPECT_EQ(client::Reason(sent), "TOKEN_EXPIRED");
  WriteToken("root", kSoon + 10);
  const absl::Status flushed = stream.Flush();
  EXPECT_TRUE(flushed.ok()) << flushed;
  EXPECT_EQ(CpuHoursOfAll(), 207);
  // A new token in time: the sender does not notice that another stream was opened.
  WriteToken("root", 0);
  now_ = kSoon + 10;
  const int streams = authorized_;
  while (authorized_ == streams) ASSERT_TRUE(SendAndFlush("third", &stream).ok());
  EXPECT_EQ(CpuHoursOfAll(), 307);
}

TEST_F(StreamProofsTest, TheClientsWatchContinuesWithANewTokenWhereThereIsOne) {
  WriteToken("amy", kSoon);
  const client::PriorityClient client = ClientWith(token_file_);
  client::RankingWatch watch(&client, {}, {.max_attempts = 2});
  int answers = 0;
  const absl::Status end = watch.Run([&](const v1::WatchRankingResponse&, const auto&) {
    ++answers;
    if (answers == 1) WriteToken("amy", kSoon + 10);
    now_ = answers == 1 ? kSoon : kSoon + 10;
    return true;
  });
  EXPECT_EQ(answers, 2);  // There was no third token.
  EXPECT_EQ(client::Reason(end), "TOKEN_EXPIRED");
}

}  // namespace
}  // namespace priorityd::rpc
