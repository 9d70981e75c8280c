// Rate limits as callers meet them.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kLimitedListShares[] = "priority.v1.PriorityService/ListShares";
constexpr char kLimitedRecordUsage[] = "priority.v1.PriorityService/RecordUsage";

// Three calls, and no more for the time of a test.
constexpr char kThreeCalls[] =
    "SlurmctldParameters=rl_enable,rl_bucket_size=3,rl_refill_rate=1,rl_refill_period=1000000\n";

// A call of which only the head is sent.
class CallWithoutMessage : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  CallWithoutMessage(SecuredReplica& service, const std::string& method, const std::string& proof)
      : stub_(grpc::CreateChannel(service.address(), grpc::InsecureChannelCredentials())) {
    context_.AddMetadata("authorization", proof);
    stub_.PrepareBidiStreamingCall(&context_, "/" + method, {}, this);
    StartCall();
  }
  void OnDone(const grpc::Status& status) override { status_.set_value(status); }
  grpc::Status AwaitEnd() { return status_.get_future().get(); }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  std::promise<grpc::Status> status_;
};

class RateLimitTest : public testing::Test {
 protected:
  static SecuredReplica::Options With(const std::string& settings) {
    SecuredReplica::Options options;
    options.more_settings = settings;
    return options;
  }
  // A connection of its own.
  static std::shared_ptr<grpc::Channel> Connect(SecuredReplica& service) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(service.address(), grpc::InsecureChannelCredentials(),
                                     arguments);
  }
};

TEST_F(RateLimitTest, ACallerOverTheRateGetsADelayAndOthersAreServed) {
  SecuredReplica service(With(kThreeCalls));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(service.Call(kLimitedListShares, service.SlurmToken("amy")).ok());
  }
  const grpc::Status refused = service.Call(kLimitedListShares, service.SlurmToken("amy"));
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              AllOf(HasSubstr("ListShares: too many calls of amy (Slurm token; "),
                    HasSubstr("want at most 3 calls at once and 1 per 277h46m40s; retry in")));
  EXPECT_EQ(DetailsOf(refused).reason, "RATE_LIMITED");
  EXPECT_TRUE(DetailsOf(refused).has_retry_info);
  EXPECT_TRUE(service.Call(kLimitedListShares, service.SlurmToken("ben")).ok());
  // By any credential of amy, on any connection.
  EXPECT_EQ(SecuredReplica::CallOn(Connect(service), kLimitedListShares, service.SlurmToken("amy"))
                .error_code(),
            grpc::RESOURCE_EXHAUSTED);
}

TEST_F(RateLimitTest, ACallAboveTheRateIsRefusedBeforeItsMessageIsRead) {
  SecuredReplica service(With(kThreeCalls));
  const std::string proof = service.SlurmToken("amy");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(service.Call(kLimitedListShares, proof).ok());
  CallWithoutMessage call(service, kLimitedListShares, proof);
  const grpc::Status refused = call.AwaitEnd();
  EXPECT_EQ(DetailsOf(refused).reason, "RATE_LIMITED");
  EXPECT_TRUE(DetailsOf(refused).has_retry_info);
}

TEST_F(RateLimitTest, CallsThatAreNotAllowedCountToo) {
  SecuredReplica service(With(kThreeCalls));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(service.Call(kLimitedRecordUsage, service.SlurmToken("amy")).error_code(),
              grpc::PERMISSION_DENIED);
  }
  EXPECT_EQ(service.Call(kLimitedRecordUsage, service.SlurmToken("amy")).error_code(),
            grpc::RESOURCE_EXHAUSTED);
}

TEST_F(RateLimitTest, OperatorsAdministratorsAndServicesAreExempt) {
  SecuredReplica service(With(kThreeCalls));
  for (const std::string& proof :
       {service.SlurmToken("ope"), service.SlurmToken("adm"), service.SlurmToken("root"),
        service.ServiceToken("frontend"), service.ServiceToken("dashboard")}) {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(service.Call(kLimitedListShares, proof).ok());
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(service.Call(kLimitedRecordUsage, service.ServiceToken("collector")).error_code(),
              grpc::RESOURCE_EXHAUSTED);
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(service.Call(kLimitedListShares, service.SlurmToken("coo")).ok(), i < 3);
    EXPECT_EQ(service.Call(kLimitedListShares, service.ServiceToken("stranger")).error_code(),
              i < 3 ? grpc::PERMISSION_DENIED : grpc::RESOURCE_EXHAUSTED);
  }
}

TEST_F(RateLimitTest, FailedLoginsOfAConnectionAreLimitedAndItsProvenCallersServed) {
  SecuredReplica service(With(kThreeCalls));
  const auto attacker = Connect(service);
  const auto code = [&](const std::string& proof) {
    return SecuredReplica::CallOn(attacker, kLimitedListShares, proof).error_code();
  };
  // Behind a proxy others share a connection.
  ASSERT_EQ(code(service.SlurmToken("amy")), grpc::OK);
  EXPECT_EQ(code(""), grpc::UNAUTHENTICATED) << "nothing costs nothing";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code("Bearer forged"), grpc::UNAUTHENTICATED);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code("Bearer forged"), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code("MUNGE forged"), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code(service.SlurmToken("amy")), grpc::OK);
  EXPECT_EQ(code(service.SlurmToken("ben")), grpc::RESOURCE_EXHAUSTED) << "not seen before";
  // Who comes from the same host is no attacker for that.
  EXPECT_TRUE(
      SecuredReplica::CallOn(Connect(service), kLimitedListShares, service.SlurmToken("ben")).ok());
}

TEST_F(RateLimitTest, WithoutRlEnableNothingIsLimited) {
  SecuredReplica service(With("SlurmctldParameters=rl_bucket_size=1\n"));
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(service.Call(kLimitedListShares, service.SlurmToken("amy")).ok());
    EXPECT_EQ(service.Call(kLimitedListShares, "Bearer forged").error_code(),
              grpc::UNAUTHENTICATED);
  }
}

TEST_F(RateLimitTest, TheClientWaitsByItselfAndSaysSoOnce) {
  SecuredReplica service(
      With("SlurmctldParameters=rl_enable,rl_bucket_size=1,rl_refill_rate=1,rl_refill_period=1\n"));
  std::string told;
  int times = 0;
  const client::PriorityClient client({.address = service.address(),
                                       .retry = {.max_attempts = 1},
                                       .authorize = [&] { return service.SlurmToken("amy"); },
                                       .on_rate_limited =
                                           [&](const absl::Status& status) {
                                             told = client::Describe(status);
                                             ++times;
                                           }});
  const absl::Time start = absl::Now();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(client.ListShares({}).ok()) << i;
  // One at once, one at each second that began since.
  EXPECT_GE(absl::Now() - start, absl::Seconds(2));
  EXPECT_EQ(times, 1);
  EXPECT_THAT(told, HasSubstr("too many calls of amy"));
}

TEST_F(RateLimitTest, TheClientGivesUpAtTheDeadline) {
  SecuredReplica service(With(kThreeCalls));
  const client::PriorityClient client({.address = service.address(),
                                       .deadline = absl::Minutes(1),
                                       .authorize = [&] { return service.SlurmToken("amy"); }});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.ListShares({}).ok());
  const absl::Status status = client.ListShares({}).status();
  EXPECT_TRUE(client::IsRateLimited(status)) << status;
}

}  // namespace
}  // namespace priorityd::rpc
