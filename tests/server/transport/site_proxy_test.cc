// What the site's proxy says of its clients is taken from the proxy, and from nobody else.
#include "server/transport/site_proxy.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"
#include "tests/temporary_folder.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;
using Metadata = std::vector<std::pair<std::string, std::string>>;

const std::string kSecret = "0123456789abcdef0123456789abcdef";
const std::pair<std::string, std::string> kFromProxy = {kProxySecretMetadata, kSecret};

class SiteProxyTest : public ::testing::Test {
 protected:
  SiteProxy Proxy() const {
    const std::string path = folder_.path() + "/secret";
    std::ofstream(path) << kSecret << "\n";
    chmod(path.c_str(), 0600);
    return SiteProxy(*identity::SharedSecret::Read(path));
  }
  SecuredReplica::Options Behind(SiteProxy proxy, const std::string& more_settings = "") const {
    SecuredReplica::Options options;
    options.more_settings = more_settings;
    options.server.listen = {"unix:" + folder_.path() + "/socket"};
    options.proxy = std::move(proxy);
    return options;
  }

  // GetCaller, with these metadata.
  grpc::Status Ask(SecuredReplica& service, const Metadata& metadata) {
    const auto stub = v1::PriorityService::NewStub(
        grpc::CreateChannel(service.address(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    for (const auto& [name, value] : metadata) context.AddMetadata(name, value);
    caller_.Clear();
    return stub->GetCaller(&context, v1::GetCallerRequest(), &caller_);
  }

  static std::string Certificate() {
    const identity::CertificateAuthority authority;
    const std::string pem = authority.Issue("collector", "DNS:collector.example.org").certificate;
    const std::string der = pem + ".der";
    EXPECT_EQ(std::system(("openssl x509 -outform der -in " + pem + " -out " + der).c_str()), 0);
    return absl::Base64Escape(identity::ReadWholeFile(der));
  }

  const TemporaryFolder folder_{"/tmp"};
  v1::Caller caller_;
};

constexpr char kFewLogins[] =
    "SlurmctldParameters=rl_enable,rl_bucket_size=2,rl_refill_rate=1,rl_refill_period=1000000\n";

TEST_F(SiteProxyTest, FailedLoginsAreCountedByItsClientsAndNotByItself) {
  SecuredReplica service(Behind(Proxy(), kFewLogins));
  const auto code = [&](const std::string& peer, const std::string& proof) {
    return Ask(service, {kFromProxy, {kProxyPeerMetadata, peer}, {"authorization", proof}})
        .error_code();
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(code("10.0.0.1 77", "Bearer a"), grpc::UNAUTHENTICATED);
  EXPECT_EQ(code("10.0.0.1 77", "Bearer a"), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code("2001:db8::1 77", "Bearer a"), grpc::UNAUTHENTICATED);
  EXPECT_EQ(code("10.0.0.2 77", service.SlurmToken("amy")), grpc::OK);
  EXPECT_EQ(caller_.name(), "amy");
}

TEST_F(SiteProxyTest, ACertificateThatItHasVerifiedProvesItsName) {
  SecuredReplica service(Behind(Proxy()));
  const Metadata metadata = {{kProxyPeerMetadata, "10.0.0.1 77"},
                             {kProxyCertificateMetadata, Certificate()}};
  Metadata from_proxy = metadata;
  from_proxy.push_back(kFromProxy);
  const grpc::Status proved = Ask(service, from_proxy);
  ASSERT_TRUE(proved.ok()) << proved.error_message();
  EXPECT_EQ(caller_.name(), "collector.example.org");
  EXPECT_EQ(Ask(service, metadata).error_code(), grpc::UNAUTHENTICATED) << "anybody can say it";
}

TEST_F(SiteProxyTest, AnotherSecretIsRefusedWhateverElseIsProved) {
  SecuredReplica behind(Behind(Proxy()));
  for (const std::string& secret : {std::string(), kSecret + "0", std::string(32, '0')}) {
    const grpc::Status refused = Ask(behind, {{kProxySecretMetadata, secret},
                                              {kProxyPeerMetadata, "10.0.0.1 77"},
                                              {"authorization", behind.SlurmToken("root")}});
    EXPECT_EQ(refused.error_code(), grpc::UNAUTHENTICATED) << secret;
    EXPECT_EQ(DetailsOf(refused).reason, "PROXY_SECRET");
    EXPECT_THAT(refused.error_message(), HasSubstr("--proxy_secret_file"));
  }
}

// Else all clients of a proxy would be callers of the socket.
TEST_F(SiteProxyTest, WithoutAProxyWhatOneSaysIsRefused) {
  SecuredReplica alone(Behind(SiteProxy(), "SocketRole=administrator\n"));
  EXPECT_TRUE(Ask(alone, {}).ok());
  const grpc::Status refused = Ask(alone, {kFromProxy, {kProxyPeerMetadata, "10.0.0.1 77"}});
  EXPECT_EQ(DetailsOf(refused).reason, "PROXY_SECRET");
  EXPECT_THAT(refused.error_message(), HasSubstr("started without --proxy_secret_file"));
}

TEST_F(SiteProxyTest, NobodyHasARoleForASocketThatMayBeTheProxys) {
  SecuredReplica service(Behind(Proxy(), "SocketRole=administrator\n"));
  EXPECT_EQ(Ask(service, {}).error_code(), grpc::UNAUTHENTICATED);
  EXPECT_EQ(Ask(service, {kFromProxy, {kProxyPeerMetadata, "10.0.0.1 77"}}).error_code(),
            grpc::UNAUTHENTICATED);
  EXPECT_TRUE(Ask(service, {{"authorization", service.SlurmToken("amy")}}).ok());
}

TEST_F(SiteProxyTest, WhatItSaysAndCannotBeReadIsAnErrorAndNoIdentity) {
  SecuredReplica service(Behind(Proxy()));
  const std::pair<std::string, std::string> root = {"authorization", service.SlurmToken("root")};
  const std::pair<std::string, std::string> peer = {kProxyPeerMetadata, "10.0.0.1 77"};
  const std::vector<Metadata> unreadable = {
      {kFromProxy, root},
      {kFromProxy, root, {kProxyPeerMetadata, "10.0.0.1"}},
      {kFromProxy, root, {kProxyPeerMetadata, "10.0.0 1"}},
      {kFromProxy, root, {kProxyPeerMetadata, "10.0.0.1 65536"}},
      {kFromProxy, root, peer, peer},
      {kFromProxy, kFromProxy, root, peer},
      {kFromProxy, root, peer, {kProxyCertificateMetadata, "!"}},
      {kFromProxy, root, peer, {kProxyCertificateMetadata, "MAAA"}}};
  for (const Metadata& metadata : unreadable) {
    EXPECT_EQ(Ask(service, metadata).error_code(), grpc::INTERNAL) << metadata.size();
  }
  EXPECT_TRUE(Ask(service, {kFromProxy, root, peer}).ok());
}

}  // namespace
}  // namespace priorityd::rpc
