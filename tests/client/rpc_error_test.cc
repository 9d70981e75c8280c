#include "client/rpc_error.h"

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace priorityd::client {
namespace {

using google::rpc::BadRequest;

// An error as the service sends it.
grpc::Status Rich(grpc::StatusCode code, const std::string& message,
                  const std::vector<const google::protobuf::Message*>& details) {
  google::rpc::Status rich;
  rich.set_code(code);
  rich.set_message(message);
  for (const auto* detail : details) rich.add_details()->PackFrom(*detail);
  return grpc::Status(code, message, rich.SerializeAsString());
}

BadRequest TwoViolations() {
  BadRequest bad_request;
  for (const char* line : {"slurm.conf line 14", "slurm.conf line 20"}) {
    auto* violation = bad_request.add_field_violations();
    violation->set_field(line);
    violation->set_description(std::string("PriorityFlags: got ") + line[16] + line[17]);
  }
  return bad_request;
}

TEST(RpcErrorTest, CodeAndMessageStay) {
  EXPECT_EQ(FromGrpc(grpc::Status(grpc::NOT_FOUND, "no such cluster")),
            absl::NotFoundError("no such cluster"));
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

TEST(RpcErrorTest, ACallThatTheServiceCancelsAsItStopsCanBeRetried) {
  EXPECT_TRUE(absl::IsUnavailable(FromGrpc(grpc::Status(grpc::CANCELLED, ""))));
}

TEST(RpcErrorTest, DetailsAreRead) {
  google::rpc::ErrorInfo info;
  info.set_reason("UNKNOWN_CLUSTER");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  const BadRequest bad_request = TwoViolations();
  const absl::Status status =
      FromGrpc(Rich(grpc::INVALID_ARGUMENT, "no", {&info, &retry, &bad_request}));
  EXPECT_EQ(Reason(status), "UNKNOWN_CLUSTER");
  EXPECT_EQ(RetryDelay(status), absl::Milliseconds(500));
  ASSERT_EQ(Violations(status).size(), 2);
  EXPECT_EQ(Violations(status)[1].field, "slurm.conf line 20");
}

TEST(RpcErrorTest, AnErrorInOtherWordsKeepsItsReasonAndNotItsFields) {
  google::rpc::ErrorInfo info;
  info.set_reason("INVALID_FIELD");
  const BadRequest bad_request = TwoViolations();
  const absl::Status retold = Retold(
      FromGrpc(Rich(grpc::INVALID_ARGUMENT, "settings[0]: no", {&info, &bad_request})), "qos: no");
  EXPECT_TRUE(absl::IsInvalidArgument(retold));
  EXPECT_EQ(Describe(retold), "qos: no");
  EXPECT_EQ(Reason(retold), "INVALID_FIELD");
}

TEST(RpcErrorTest, AnErrorWithoutDetailsHasNone) {
  const absl::Status status = FromGrpc(grpc::Status(grpc::UNAVAILABLE, "away", "not a proto \xff"));
  EXPECT_EQ(Reason(status), "");
  EXPECT_FALSE(RetryDelay(status).has_value());
  EXPECT_TRUE(Violations(status).empty());
}

TEST(RpcErrorTest, TheDescriptionIsOneLineWithEveryViolation) {
  const BadRequest bad_request = TwoViolations();
  EXPECT_EQ(
      Describe(FromGrpc(Rich(grpc::INVALID_ARGUMENT, "2 faults\nin slurm.conf", {&bad_request}))),
      "2 faults in slurm.conf; slurm.conf line 14: PriorityFlags: got 14; "
      "slurm.conf line 20: PriorityFlags: got 20");
}

TEST(RpcErrorTest, AViolationThatTheMessageReportsIsNotRepeated) {
  BadRequest bad_request = TwoViolations();
  bad_request.mutable_field_violations()->RemoveLast();
  EXPECT_EQ(Describe(FromGrpc(Rich(grpc::INVALID_ARGUMENT,
                                   "slurm.conf line 14: PriorityFlags: got 14", {&bad_request}))),
            "slurm.conf line 14: PriorityFlags: got 14");
}

TEST(RpcErrorTest, AViolationThatTheServiceCutIsNotRepeated) {
  BadRequest bad_request;
  bad_request.add_field_violations()->set_description("got \"prority\", want one of acc...");
  EXPECT_EQ(Describe(FromGrpc(Rich(grpc::INVALID_ARGUMENT,
                                   "settings: got \"prority\", want one of account, qos",
                                   {&bad_request}))),
            "settings: got \"prority\", want one of account, qos");
}

TEST(RpcErrorTest, OfManyViolationsTheFirstAreReported) {
  BadRequest bad_request;
  for (int i = 1; i <= 32; ++i) {
    auto* violation = bad_request.add_field_violations();
    violation->set_field("line " + std::to_string(i));
    violation->set_description("got " + std::string(i, 'x'));
  }
  EXPECT_EQ(Describe(FromGrpc(Rich(grpc::INVALID_ARGUMENT, "32 faults", {&bad_request}))),
            "32 faults; line 1: got x; line 2: got xx; line 3: got xxx; line 4: got xxxx; ...");
}

TEST(RpcErrorTest, AnEmptyMessageBecomesTheCode) {
  EXPECT_EQ(Describe(absl::Status(absl::StatusCode::kInternal, "")), "INTERNAL");
}

}  // namespace
}  // namespace priorityd::client
