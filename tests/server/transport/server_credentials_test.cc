// TLS as clients meet it.
#include "server/transport/server_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using identity::CertificateAuthority;
using identity::CertificateFiles;
using identity::ReadWholeFile;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr char kRecordUsage[] = "priority.v1.PriorityService/RecordUsage";
constexpr char kListShares[] = "priority.v1.PriorityService/ListShares";
constexpr absl::Duration kPatience = absl::Minutes(1);

class ServerCredentialsTest : public testing::Test {
 protected:
  static SecuredReplica::Options WithTls(const TlsFiles& files) {
    SecuredReplica::Options options;
    options.server.tls = files;
    return options;
  }
  TlsFiles Files() const { return {server_.certificate, server_.key, authority_.certificate()}; }

  // A new connection of one who trusts `authority`, and shows `own`.
  std::shared_ptr<grpc::Channel> Connect(SecuredReplica& service,
                                         const CertificateAuthority& authority,
                                         const std::optional<CertificateFiles>& own = {}) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = ReadWholeFile(authority.certificate());
    if (own.has_value()) {
      options.pem_cert_chain = ReadWholeFile(own->certificate);
      options.pem_private_key = ReadWholeFile(own->key);
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(service.address(), grpc::SslCredentials(options), arguments);
  }

  const CertificateAuthority authority_;
  const CertificateAuthority stranger_;
  const CertificateFiles server_ = authority_.Issue("server", "DNS:localhost,IP:127.0.0.1");
};

TEST_F(ServerCredentialsTest, OneWhoTrustsTheAuthorityIsServedAndNobodyInClear) {
  SecuredReplica service(WithTls(Files()));
  const auto trusting = Connect(service, authority_);
  const grpc::Status served =
      SecuredReplica::CallOn(trusting, kListShares, service.SlurmToken("amy"));
  EXPECT_EQ(served.error_code(), grpc::FAILED_PRECONDITION) << served.error_message();
  EXPECT_EQ(SecuredReplica::CallOn(trusting, kListShares, "").error_code(), grpc::UNAUTHENTICATED);
  EXPECT_EQ(service.Call(kListShares, service.SlurmToken("amy")).error_code(), grpc::UNAVAILABLE);
  const auto doubting = Connect(service, stranger_);
  EXPECT_EQ(SecuredReplica::CallOn(doubting, kListShares, "").error_code(), grpc::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, AClientCertificateProvesItsNameAndNeedsTheRole) {
  SecuredReplica service(WithTls(Files()));
  const auto collector =
      Connect(service, authority_, authority_.Issue("fd.example.org", "DNS:collector.example.org"));
  const grpc::Status recorded = SecuredReplica::CallOn(collector, kRecordUsage, "");
  EXPECT_THAT(recorded.error_code(), AnyOf(grpc::FAILED_PRECONDITION, grpc::INVALID_ARGUMENT))
      << recorded.error_message();
  const grpc::Status listed = SecuredReplica::CallOn(collector, kListShares, "");
  EXPECT_EQ(listed.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(listed.error_message(), HasSubstr("tls:collector.example.org (client certificate"));
  const auto other = Connect(service, authority_, authority_.Issue("other", "DNS:else"));
  EXPECT_EQ(SecuredReplica::CallOn(other, kRecordUsage, "").error_code(), grpc::PERMISSION_DENIED);
}

TEST_F(ServerCredentialsTest, ACertificateOfAnotherAuthorityIsRefused) {
  SecuredReplica service(WithTls(Files()));
  const auto forged =
      Connect(service, authority_, stranger_.Issue("collector", "DNS:collector.example.org"));
  EXPECT_EQ(SecuredReplica::CallOn(forged, kRecordUsage, "").error_code(), grpc::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, TlsBefore12IsRefused) {
  SecuredReplica service(WithTls({server_.certificate, server_.key, ""}));
  const auto handshake = [&](const std::string& version) {
    return std::system(absl::StrCat("openssl s_client -connect ", service.address(), " ", version,
                                    " -cipher 'DEFAULT@SECLEVEL=0' -alpn h2 </dev/null "
                                    ">/dev/null 2>&1")
                           .c_str());
  };
  EXPECT_EQ(handshake("-tls1_2"), 0);
  EXPECT_NE(handshake("-tls1_1"), 0);
  EXPECT_NE(handshake("-tls1"), 0);
}

TEST_F(ServerCredentialsTest, ANewCertificateIsServedWithoutARestart) {
  SecuredReplica service(WithTls({server_.certificate, server_.key, ""}));
  ASSERT_EQ(SecuredReplica::CallOn(Connect(service, authority_), kListShares, "").error_code(),
            grpc::UNAUTHENTICATED);
  const CertificateFiles next = stranger_.Issue("server", "DNS:localhost,IP:127.0.0.1");
  std::filesystem::rename(next.key, server_.key);
  std::filesystem::rename(next.certificate, server_.certificate);
  const absl::Time deadline = absl::Now() + kPatience;
  grpc::Status status;
  do {
    status = SecuredReplica::CallOn(Connect(service, stranger_), kListShares, "");
  } while (status.error_code() == grpc::UNAVAILABLE && absl::Now() < deadline);
  EXPECT_EQ(status.error_code(), grpc::UNAUTHENTICATED) << status.error_message();
}

TEST_F(ServerCredentialsTest, FilesThatCannotBeUsedAreAnErrorAtTheStart) {
  for (const TlsFiles& files : {TlsFiles{"/none", server_.key, ""}, TlsFiles{"/", server_.key, ""},
                                TlsFiles{server_.certificate, server_.certificate, ""},
                                TlsFiles{server_.key, server_.key, ""},
                                TlsFiles{server_.certificate, server_.key, "/none"}}) {
    EXPECT_EQ(MakeServerCredentials(files).status().code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(MakeServerCredentials({}).ok());
}

}  // namespace
}  // namespace priorityd::rpc
