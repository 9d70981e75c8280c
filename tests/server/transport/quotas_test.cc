// Callers who take more than their part of what all share, over gRPC with tokens, and others who
// are served meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/replica.h"
#include "tests/await.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

SecuredReplica::Options WithQuotas(const std::vector<std::string>& texts) {
  SecuredReplica::Options options;
  for (const std::string& text : texts) EXPECT_TRUE(options.quotas.Set(text).ok()) << text;
  return options;
}

// A watch that stays open.
class OpenWatch {
 public:
  OpenWatch(SecuredReplica& service, const std::string& proof, uint32_t limit)
      : stub_(v1::PriorityService::NewStub(
            grpc::CreateChannel(service.address(), grpc::InsecureChannelCredentials()))) {
    context_.AddMetadata("authorization", proof);
    v1::WatchRankingRequest request;
    request.set_limit(limit);
    stream_ = stub_->WatchRanking(&context_, request);
    v1::WatchRankingResponse response;
    if (!stream_->Read(&response)) refused_ = stream_->Finish();
  }
  ~OpenWatch() {
    context_.TryCancel();
    if (refused_.ok()) stream_->Finish();
  }

  // OK: it is open.
  const grpc::Status& refused() const { return refused_; }

 private:
  const std::unique_ptr<v1::PriorityService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> stream_;
  grpc::Status refused_;
};

TEST(QuotasTest, AUserWhoWatchesMoreThanTheirPartIsRefusedByNameAndOthersWatch) {
  SecuredReplica service(WithQuotas({"watched_rows=150"}));
  const std::string amy = service.SlurmToken("amy");
  const OpenWatch first(service, amy, 100);
  EXPECT_TRUE(first.refused().ok()) << first.refused().error_message();
  const OpenWatch second(service, amy, 51);
  EXPECT_EQ(second.refused().error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(second.refused()).reason, "TOO_MANY_WATCHES");
  EXPECT_THAT(second.refused().error_message(),
              StartsWith("watched_rows: got 151 of user:amy, want at most 150 of one caller "
                         "(--quota=watched_rows=N); close other watches"));
  const OpenWatch ben(service, service.SlurmToken("ben"), 51);
  EXPECT_TRUE(ben.refused().ok()) << ben.refused().error_message();
  const OpenWatch dashboard(service, service.ServiceToken("dashboard"), 10'000);
  EXPECT_TRUE(dashboard.refused().ok()) << dashboard.refused().error_message();
}

TEST(QuotasTest, AUserWhoSubmitsMoreThanTheirPartIsRefusedByNameAndAFrontendIsServed) {
  SecuredReplica service(WithQuotas({"tracked_jobs=3"}));
  const auto upsert = [&](const std::string& proof, const std::string& user, int first, int count) {
    v1::UpdateJobsRequest request;
    for (int i = 0; i < count; ++i) {
      *request.add_upserts() = JobOf(absl::StrCat(first + i), user);
    }
    v1::UpdateJobsResponse response;
    const grpc::Status status =
        service.Call("priority.v1.PriorityService/UpdateJobs", proof, &request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  const v1::UpdateJobsResponse amy = upsert(service.SlurmToken("amy"), "amy", 1, 4);
  EXPECT_EQ(amy.upserts(2).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(amy.upserts(3).outcome(), v1::UPDATE_OUTCOME_REFUSED);
  EXPECT_EQ(amy.upserts(3).reason(), "MaxJobCount");
  EXPECT_THAT(amy.upserts(3).message(),
              StartsWith("tracked_jobs: got 4 of user:amy, want at most 3 of one caller "
                         "(--quota=tracked_jobs=N)"));
  const v1::UpdateJobsResponse ben = upsert(service.ServiceToken("frontend"), "ben", 11, 5);
  EXPECT_EQ(ben.upserts(4).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  const v1::UpdateJobsResponse more = upsert(service.ServiceToken("frontend"), "amy", 21, 1);
  EXPECT_EQ(more.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

TEST(QuotasTest, AUserWhoseCallsHoldTheirPartOfThreadsIsRefusedByNameAndOthersAreServed) {
  SecuredReplica service(WithQuotas({"calls=2"}));
  WorkerPool& operating = service.replica().pools().operating;
  const int threads = operating.threads();
  std::latch begun(threads), go_on(1);
  for (int i = 0; i < threads; ++i) {
    operating.Schedule(absl::StrCat("busy", i), [&] {
      begun.count_down();
      go_on.wait();
    });
  }
  begun.wait();
  const auto call = [&](const std::string& user) {
    return service.Call("priority.v1.AdminService/GetPolicy", service.SlurmToken(user));
  };
  const auto waiting = [&] { return operating.activity().queued; };
  std::vector<std::thread> at_work;
  for (size_t i = 0; i < 2; ++i) {
    at_work.emplace_back([&] { EXPECT_TRUE(call("amy").ok()); });
    ASSERT_TRUE(Await([&] { return waiting() == i + 1; }));
  }
  const grpc::Status refused = call("amy");
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).reason, "QUOTA_EXCEEDED");
  EXPECT_TRUE(DetailsOf(refused).has_retry_info);
  EXPECT_THAT(refused.error_message(), StartsWith("calls: got 3 of user:amy, want at most 2 of "));
  at_work.emplace_back([&] { EXPECT_TRUE(call("ben").ok()); });
  ASSERT_TRUE(Await([&] { return waiting() == 3; }));
  go_on.count_down();
  for (std::thread& thread : at_work) thread.join();
  EXPECT_TRUE(call("amy").ok());
}

TEST(QuotasTest, AUserWithAllThreadsThatOneUserMayHaveLeavesOneToOthers) {
  SecuredReplica service;
  WorkerPool& computing = service.replica().pools().computing;
  const int most = computing.threads() - 1;
  std::latch begun(most), go_on(1);
  for (int i = 0; i < 100; ++i) {
    computing.Schedule("user:amy", [&, i] {
      if (i < most) begun.count_down();
      go_on.wait();
    });
  }
  begun.wait();
  EXPECT_TRUE(
      service.Call("priority.v1.PriorityService/GetCaller", service.SlurmToken("ben")).ok());
  EXPECT_EQ(computing.activity().queued, static_cast<size_t>(100 - most));
  go_on.count_down();
}

TEST(QuotasTest, AConnectionWithoutCallsGetsGoawayAndAClientConnectsAgain) {
  SecuredReplica::Options options;
  options.server.connection_idle = absl::Milliseconds(100);
  SecuredReplica service(options);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel =
      grpc::CreateCustomChannel(service.address(), grpc::InsecureChannelCredentials(), arguments);
  const auto call = [&] {
    return SecuredReplica::CallOn(channel, "priority.v1.PriorityService/ListShares",
                                  service.SlurmToken("amy"));
  };
  EXPECT_TRUE(call().ok());
  EXPECT_TRUE(Await([&] { return channel->GetState(false) == GRPC_CHANNEL_IDLE; }));
  EXPECT_TRUE(call().ok());
}

TEST(QuotasTest, AUserWhoseRequestsTakeTheirPartOfTheMemoryIsRefusedByNameAndOthersAreServed) {
  SecuredReplica service(WithQuotas({"request_bytes=40000"}));
  const auto rank = [&](const std::string& proof, int jobs) {
    v1::RankJobsRequest request;
    for (int i = 0; i < jobs; ++i) {
      *request.mutable_jobs()->add_jobs() = JobOf(absl::StrCat(i), "amy");
    }
    v1::RankJobsResponse response;
    return service.Call("priority.v1.PriorityService/RankJobs", proof, &request, &response);
  };
  const grpc::Status refused = rank(service.SlurmToken("amy"), 200);
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).reason, "QUOTA_EXCEEDED");
  EXPECT_TRUE(DetailsOf(refused).has_retry_info);
  EXPECT_THAT(refused.error_message(), StartsWith("request_bytes: got "));
  EXPECT_THAT(
      refused.error_message(),
      HasSubstr(" of user:amy, want at most 40000 of one caller (--quota=request_bytes=N)"));
  EXPECT_TRUE(rank(service.SlurmToken("amy"), 1).ok());
  EXPECT_TRUE(rank(service.ServiceToken("frontend"), 200).ok());
  EXPECT_TRUE(rank(service.SlurmToken("ope"), 200).ok());
}

}  // namespace
}  // namespace priorityd::rpc
