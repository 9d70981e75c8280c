#include "server/transport/status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace priorityd::rpc {
namespace {

google::rpc::Status Decode(const grpc::Status& status) {
  google::rpc::Status decoded;
  EXPECT_TRUE(decoded.ParseFromString(status.error_details()));
  return decoded;
}

// The detail of that type; fails the test if there is none.
template <typename Message>
Message DetailOf(const grpc::Status& status) {
  const google::rpc::Status decoded = Decode(status);
  Message message;
  for (const google::protobuf::Any& detail : decoded.details()) {
    if (detail.UnpackTo(&message)) return message;
  }
  ADD_FAILURE() << "no " << message.GetTypeName();
  return message;
}

std::vector<errors::FieldViolation> Many(int count, size_t bytes) {
  std::vector<errors::FieldViolation> violations;
  for (int i = 0; i < count; ++i) {
    violations.push_back({absl::StrCat("field", i), std::string(bytes, 'x')});
  }
  return violations;
}

TEST(StatusTest, OkStaysOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(StatusTest, EveryErrorHasAReasonAndTheDomain) {
  const grpc::Status status = ToGrpcStatus(absl::NotFoundError("gone"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "gone");
  EXPECT_EQ(Decode(status).code(), static_cast<int>(grpc::StatusCode::NOT_FOUND));
  EXPECT_EQ(Decode(status).message(), "gone");
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  EXPECT_EQ(info.reason(), "NOT_FOUND");
  EXPECT_EQ(info.domain(), "priorityd");
}

TEST(StatusTest, AReasonOfItsOwnIsKept) {
  const grpc::Status status =
      ToGrpcStatus(errors::WithReason(absl::NotFoundError("x"), "UNKNOWN_CLUSTER"));
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "UNKNOWN_CLUSTER");
}

TEST(StatusTest, WhatPassesSaysWhenToTryAgain) {
  for (const absl::Status& error :
       {absl::UnavailableError("x"), absl::ResourceExhaustedError("x")}) {
    EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(ToGrpcStatus(error)).retry_delay().seconds(), 1);
  }
  const grpc::Status status =
      ToGrpcStatus(errors::WithRetryDelay(absl::AbortedError("x"), absl::Milliseconds(1500)));
  const auto delay = DetailOf<google::rpc::RetryInfo>(status).retry_delay();
  EXPECT_EQ(delay.seconds(), 1);
  EXPECT_EQ(delay.nanos(), 500'000'000);
}

TEST(StatusTest, TheTextOfABugStaysInTheLog) {
  const grpc::Status status = ToGrpcStatus(absl::InternalError("SELECT secret"));
  EXPECT_EQ(status.error_message().find("secret"), std::string::npos);
  EXPECT_EQ(Decode(status).message().find("secret"), std::string::npos);
}

TEST(StatusTest, ViolationsTravelAndTheMessageNamesTheFirst) {
  const grpc::Status status = ToGrpcStatus(
      errors::BadRequestError("INVALID_FIELD", {{"a", "bad"}, {"b", std::string("x\0y", 3)}}));
  EXPECT_EQ(status.error_message(), "a: bad (and 1 more)");
  const auto bad_request = DetailOf<google::rpc::BadRequest>(status);
  ASSERT_EQ(bad_request.field_violations_size(), 2);
  EXPECT_EQ(bad_request.field_violations(1).field(), "b");
  EXPECT_EQ(bad_request.field_violations(1).description(), "x?y");
}

TEST(StatusTest, NoMoreThan32ViolationsTravel) {
  const grpc::Status status = ToGrpcStatus(errors::BadRequestError("INVALID_FIELD", Many(40, 1)));
  EXPECT_EQ(DetailOf<google::rpc::BadRequest>(status).field_violations_size(), 32);
  EXPECT_EQ(status.error_message(), "field0: x (and 39 more) [the details list 32 of them]");
}

TEST(StatusTest, NoMoreThan3KiBTravel) {
  for (const size_t bytes : {10u, 100u, 1000u, 100000u}) {
    const grpc::Status status =
        ToGrpcStatus(errors::BadRequestError("INVALID_FIELD", Many(40, bytes)));
    EXPECT_LE(status.error_details().size(), kMaxDetailsBytes) << bytes;
    EXPECT_GE(DetailOf<google::rpc::BadRequest>(status).field_violations_size(), 5) << bytes;
  }
}

TEST(StatusTest, ALongMessageIsCutBetweenCharacters) {
  std::string text;
  while (text.size() < 2 * kMaxMessageBytes) text += "\xe2\x82\xac";
  const std::string message = ToGrpcStatus(absl::NotFoundError(text)).error_message();
  EXPECT_LE(message.size(), kMaxMessageBytes);
  EXPECT_EQ(message.substr(message.size() - 3), "...");
  EXPECT_EQ((message.size() - 3) % 3, 0u);
}

}  // namespace
}  // namespace priorityd::rpc
