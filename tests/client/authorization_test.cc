#include "client/authorization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "client/priority_client.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/grpcpp.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/server/identity/private_munged.h"

namespace priorityd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string File(const std::string& content) {
  const std::string path = testing::TempDir() + "/token";
  std::ofstream(path) << content;
  return path;
}

// Without the token of the user who runs the test.
class AuthorizationTest : public testing::Test {
 protected:
  AuthorizationTest() { unsetenv("SLURM_JWT"); }
  ~AuthorizationTest() override { unsetenv("SLURM_JWT"); }
};

TEST_F(AuthorizationTest, ATokenComesFromTheFileElseFromTheEnvironment) {
  const Authorize from_file =
      MakeAuthorize({.proof = Proof::kToken, .token_file = File("a.b.c\n")});
  EXPECT_EQ(from_file().value(), "Bearer a.b.c");
  File("d.e.f");
  EXPECT_EQ(from_file().value(), "Bearer d.e.f");
  setenv("SLURM_JWT", "g.h.i", 1);
  EXPECT_EQ(MakeAuthorize({})().value(), "Bearer g.h.i");
  EXPECT_EQ(DescribeProof({}), "the token of SLURM_JWT");
  EXPECT_EQ(MakeAuthorize({.proof = Proof::kNone})().value(), "");
}

TEST_F(AuthorizationTest, WhatIsAskedForAndNotThereIsAnError) {
  EXPECT_THAT(std::string(MakeAuthorize({.proof = Proof::kToken})().status().message()),
              HasSubstr("SLURM_JWT"));
  EXPECT_THAT(std::string(MakeAuthorize({.token_file = "/none"})().status().message()),
              StartsWith("token file: /none: "));
  EXPECT_EQ(MakeAuthorize({.token_file = "/tmp"})().status().message(),
            "token file: /tmp: cannot be read");
  const ProofOptions no_munged = {.proof = Proof::kMunge, .munge_socket = "/none"};
  EXPECT_THAT(std::string(MakeAuthorize(no_munged)().status().message()), HasSubstr("munged"));
}

TEST_F(AuthorizationTest, ATokenThatNoHeaderCanHaveIsAnErrorWithoutIt) {
  const auto error = [](const std::string& content) {
    const auto token = MakeAuthorize({.proof = Proof::kToken, .token_file = File(content)})();
    EXPECT_EQ(token.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(token.status().message());
  };
  EXPECT_EQ(error("secret\nother\n"), "token file: got 2 lines, want one");
  const std::string not_ascii =
      "token file: got a character that is not printable ASCII, want none";
  EXPECT_EQ(error("secret\xc3\xbc"), not_ascii);
  EXPECT_EQ(error("secret\x01secret"), not_ascii);
  setenv("SLURM_JWT", "secret\nother", 1);
  EXPECT_EQ(MakeAuthorize({})().status().message(), "SLURM_JWT: got 2 lines, want one");
}

TEST_F(AuthorizationTest, ACallersOwnProofThatNoHeaderCanHaveFailsTheCall) {
  ConnectOptions options;
  options.address = "127.0.0.1:1";
  options.authorize = []() -> absl::StatusOr<std::string> { return "Bearer a\nb"; };
  const PriorityClient client(options);
  EXPECT_EQ(client.GetCaller({}).status().message(), "authorization: got 2 lines, want one");
}

TEST_F(AuthorizationTest, MungeIsTakenWhereMungedIsAndEachCallHasACredentialOfItsOwn) {
  const ProofOptions without = {.munge_socket = "/none"};
  EXPECT_EQ(MakeAuthorize(without)().value(), "");
  EXPECT_THAT(DescribeProof(without), HasSubstr("munged at /none"));
  const identity::PrivateMunged munged;
  const Authorize authorize = MakeAuthorize({.munge_socket = munged.socket()});
  const std::string first = authorize().value();
  EXPECT_THAT(first, StartsWith("MUNGE MUNGE:"));
  EXPECT_NE(authorize().value(), first);
}

// Refuses the first credential as munged does one that came twice.
class OnceReplayed : public v1::PriorityService::Service {
 public:
  grpc::Status ListShares(grpc::ServerContext* context, const v1::ListSharesRequest*,
                          v1::ListSharesResponse*) override {
    const auto found = context->client_metadata().find("authorization");
    if (found == context->client_metadata().end()) return grpc::Status::OK;
    seen.emplace_back(found->second.data(), found->second.size());
    if (seen.size() > refusals) return grpc::Status::OK;
    return {grpc::UNAUTHENTICATED, "credential: got one that was used before", Details()};
  }

  // As rpc_error.h reads it.
  static std::string Details() {
    google::rpc::ErrorInfo info;
    info.set_reason("MUNGE_REPLAYED");
    google::rpc::Status status;
    status.set_code(grpc::UNAUTHENTICATED);
    status.add_details()->PackFrom(info);
    return status.SerializeAsString();
  }

  size_t refusals = 1;
  std::vector<std::string> seen;
};

// A server of that, and a client whose credentials are numbered.
class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    client_ = std::make_unique<PriorityClient>(
        ConnectOptions{.address = "127.0.0.1:" + std::to_string(port),
                       .retry = {.max_attempts = 1},
                       .authorize = [this] { return "MUNGE " + std::to_string(++made_); }});
  }

  OnceReplayed service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<PriorityClient> client_;
  int made_ = 0;
};

TEST_F(ReplayTest, AReplayedCredentialIsTriedOnceMoreWithANewOne) {
  EXPECT_TRUE(client_->ListShares({}).ok());
  EXPECT_THAT(service_.seen, ElementsAre("MUNGE 1", "MUNGE 2"));
}

TEST_F(ReplayTest, ASecondRefusalIsFinal) {
  service_.refusals = 9;
  EXPECT_EQ(client_->ListShares({}).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(service_.seen.size(), 2);
}

TEST_F(AuthorizationTest, FilesOfTlsThatCannotBeReadAreNamed) {
  EXPECT_EQ(MakeChannelCredentials({}).value(), nullptr);
  EXPECT_THAT(std::string(MakeChannelCredentials({.ca = "/none"}).status().message()),
              StartsWith("TLS file: /none: "));
  EXPECT_THAT(
      std::string(
          MakeChannelCredentials({.ca = File(""), .certificate = File("")}).status().message()),
      HasSubstr("want both or none"));
}

}  // namespace
}  // namespace priorityd::client
