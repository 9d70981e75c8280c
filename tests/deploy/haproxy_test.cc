// deploy/haproxy in front of a real priorityd: calls pass, identities pass and cannot be forged,
// and what gRPC 1.51 does not withstand ends there (docs/security.md).
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/authorization.h"
#include "client/timestamp.h"
#include "client/usage_stream.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/await.h"
#include "tests/deploy/real_haproxy.h"
#include "tests/end_to_end/honest_user.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/free_port.h"
#include "tests/keepalive.h"
#include "tests/raw_http2.h"
#include "tests/sanitizer.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kListShares[] = "/priority.v1.PriorityService/ListShares";
constexpr char kAttacker[] = "127.0.0.2";
constexpr uint8_t kEndStream = 1, kEndHeaders = 4;
// The most that priorityd or HAProxy may grow by what is done to them.
constexpr double kMostGrowthMib = kIsSanitized ? 2000 : 150;
constexpr absl::Duration kAttack = absl::Seconds(3);
// Ends as soon as there is enough of it.
constexpr absl::Duration kLongAttack = absl::Seconds(20);
// What ends by itself may take longer under load.
constexpr absl::Duration kMostAttack = absl::Minutes(1);

// Both on sockets of their own.
class HaproxyTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& settings = {}, const std::string& auth = "",
             std::vector<std::string> flags = {}) {
    ReplaceFile(folder_.path() + "/proxy.secret", secret_);
    flags.insert(flags.begin(), {"--listen=unix:" + socket_,
                                 "--proxy_secret_file=" + folder_.path() + "/proxy.secret",
                                 "--memory_budget=256"});
    server_ = std::make_unique<SecuredPriorityd>(auth, flags);
    haproxy_ = std::make_unique<RealHaproxy>(socket_, secret_, settings);
  }

  client::ConnectOptions Through(const std::string& user) const {
    client::ConnectOptions options = server_->As(user);
    options.address = haproxy_->address();
    return options;
  }
  double ResidentMib() const { return server_->ResidentMib() + haproxy_->ResidentMib(); }
  HonestUser::Options Honest() const {
    return {.connect = Through("root"), .resident_mib = [this] { return ResidentMib(); }};
  }

  const TemporaryFolder folder_{"/tmp"};
  const std::string socket_ = folder_.path() + "/grpc.socket";
  const std::string secret_ = "0123456789abcdef0123456789abcdef";
  std::unique_ptr<SecuredPriorityd> server_;
  std::unique_ptr<RealHaproxy> haproxy_;
};

v1::RankJobsRequest Jobs(int count) {
  v1::RankJobsRequest request;
  for (int i = 0; i < count; ++i) {
    v1::Job* job = request.mutable_jobs()->add_jobs();
    job->set_job_id(absl::StrCat(i));
    job->set_user(i % 2 == 0 ? "amy" : "ben");
  }
  return request;
}

v1::RecordUsageRequest OneHour(const std::string& record_id) {
  v1::RecordUsageRequest request;
  v1::UsageRecord* record = request.add_records();
  record->set_source("test");
  record->set_record_id(record_id);
  record->set_user("amy");
  *record->mutable_start_time() = client::ToTimestamp(absl::Now() - absl::Hours(2));
  *record->mutable_end_time() = client::ToTimestamp(absl::Now() - absl::Hours(1));
  (*record->mutable_tres())["cpu"] = 4;
  return request;
}

TEST_F(HaproxyTest, CallsLargeOnesAndStreamsPassThroughIt) {
  Start();
  const client::PriorityClient root(Through("root"));
  const auto ranked = root.RankJobs(Jobs(20'000));
  ASSERT_TRUE(ranked.ok()) << ranked.status() << haproxy_->Log();
  EXPECT_EQ(ranked->ranked_size(), 20'000);
  int accepted = 0;
  client::UsageStream stream(&root, [&](const v1::RecordUsageResponse&) { ++accepted; });
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(stream.Send(OneHour(absl::StrCat(i))).ok());
  const absl::Status flushed = stream.Flush();
  EXPECT_TRUE(flushed.ok()) << flushed;
  EXPECT_EQ(accepted, 50);
}

TEST_F(HaproxyTest, AWatchThroughItReceivesChanges) {
  Start();
  const client::PriorityClient root(Through("root"));
  v1::WatchRankingRequest request;
  request.set_limit(5);
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + server_->Token("root"));
  const auto watch = root.OpenWatchRanking(&context, request);
  v1::WatchRankingResponse answer;
  ASSERT_TRUE(watch->Read(&answer)) << watch->Finish().error_message();
  v1::UpdateJobsRequest change;
  change.set_source("test");
  v1::Job* job = change.add_upserts();
  job->set_job_id("7");
  job->set_user("amy");
  ASSERT_TRUE(root.UpdateJobs(change).ok());
  EXPECT_TRUE(watch->Read(&answer)) << "the change did not come";
  context.TryCancel();
}

TEST_F(HaproxyTest, ItAnswersUnavailableWhileTheServerIsNotReady) {
  const std::string http = absl::StrCat("127.0.0.1:", FreePort());
  Start({"READYZ=" + http}, "", {"--http_listen=" + http, "--http_metrics_only"});
  client::ConnectOptions options = Through("root");
  options.retry.max_attempts = 1;
  EXPECT_TRUE(client::PriorityClient(options).RankJobs(Jobs(1)).ok());
  server_->process().Signal(SIGTERM);
  EXPECT_EQ(server_->process().Wait(), 0);
  const absl::Status refused = client::PriorityClient(options).RankJobs(Jobs(1)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  // In HAProxy's words and not in those of an HTTP error.
  EXPECT_EQ(refused.message().substr(0, 9), "HAProxy: ") << refused;
}

TEST_F(HaproxyTest, ThePeerServesItsClientsWhileItsOwnServerIsDown) {
  const std::string relay = absl::StrCat("127.0.0.1:", FreePort());
  Start({"RELAY=" + relay});
  const RealHaproxy other(folder_.path() + "/none.socket", secret_, {"PEER=" + relay});
  client::ConnectOptions options = Through("root");
  options.address = other.address();
  options.retry.max_attempts = 15;  // Until two checks have failed.
  const auto ranked = client::PriorityClient(options).RankJobs(Jobs(1));
  EXPECT_TRUE(ranked.ok()) << ranked.status() << other.Log();
}

// Of a watch that is silent, nothing else would ask whether the peer's host is there.
TEST_F(HaproxyTest, ThePeersHostIsAskedWhetherItIsThereWithin15Seconds) {
  const int relay = FreePort();
  Start({absl::StrCat("RELAY=127.0.0.1:", relay)});
  const RealHaproxy other(folder_.path() + "/none.socket", secret_,
                          {absl::StrCat("PEER=127.0.0.1:", relay)});
  client::ConnectOptions options = Through("root");
  options.address = other.address();
  options.retry.max_attempts = 15;  // Until two checks have failed.
  const auto ranked = client::PriorityClient(options).RankJobs(Jobs(1));
  ASSERT_TRUE(ranked.ok()) << ranked.status() << other.Log();
  EXPECT_TRUE(Await([&] {
    const auto next = NextKeepaliveTo(relay);
    return next.has_value() && *next <= absl::Seconds(15);
  }));
}

TEST_F(HaproxyTest, ACertificateProvesItsNameThroughItAndAnotherAuthoritysDoesNot) {
  const identity::CertificateAuthority ours, theirs;
  const auto files = ours.Issue("server", "IP:127.0.0.1");
  const std::string both = folder_.path() + "/server.pem";
  ReplaceFile(both,
              identity::ReadWholeFile(files.certificate) + identity::ReadWholeFile(files.key));
  Start({"CERT=" + both, "CLIENT_CA=" + ours.certificate()},
        "Principal=tls:collector.example.org Role=collector\n");
  const auto ask = [&](const client::TlsOptions& shown) {
    client::ConnectOptions options = {.address = haproxy_->address()};
    options.retry.max_attempts = 1;
    options.credentials = *client::MakeChannelCredentials(shown);
    return client::PriorityClient(options).GetCaller({});
  };
  const auto collector = ours.Issue("c", "DNS:collector.example.org");
  for (int i = 0; i < 3; ++i) {
    const auto caller = ask({ours.certificate(), collector.certificate, collector.key});
    ASSERT_TRUE(caller.ok()) << caller.status() << haproxy_->Log();
    EXPECT_EQ(caller->name(), "collector.example.org");
  }
  EXPECT_EQ(ask({.ca = ours.certificate()}).status().code(), absl::StatusCode::kUnauthenticated);
  const auto forged = theirs.Issue("c", "DNS:collector.example.org");
  EXPECT_EQ(ask({ours.certificate(), forged.certificate, forged.key}).status().code(),
            absl::StatusCode::kUnavailable);
}

// Even those who have got hold of the secret.
TEST_F(HaproxyTest, WhatAClientSaysUnderTheNamesOfTheProxyIsDeleted) {
  Start({}, "SocketRole=administrator\nPrincipal=tls:c Role=administrator\n");
  const auto stub = v1::PriorityService::NewStub(
      grpc::CreateChannel(haproxy_->address(), grpc::InsecureChannelCredentials()));
  const std::vector<std::pair<std::string, std::string>> said = {
      {"priorityd-proxy-secret", secret_},
      {"priorityd-proxy-peer", "10.0.0.1 7"},
      {"priorityd-proxy-certificate", "MAAA"},
      {"priorityd-relayed-bin", std::string(64, 'x')}};
  for (size_t i = 0; i <= said.size(); ++i) {
    grpc::ClientContext nobody, amy;
    for (size_t j = 0; j < i; ++j) {
      nobody.AddMetadata(said[j].first, said[j].second);
      amy.AddMetadata(said[j].first, said[j].second);
    }
    amy.AddMetadata("authorization", "Bearer " + server_->Token("amy"));
    v1::Caller caller;
    EXPECT_EQ(stub->GetCaller(&nobody, {}, &caller).error_code(), grpc::UNAUTHENTICATED);
    const grpc::Status proved = stub->GetCaller(&amy, {}, &caller);
    EXPECT_TRUE(proved.ok()) << proved.error_message();
    EXPECT_EQ(caller.name(), "amy");
  }
}

std::string Greeting() { return kHttp2Preface + FrameOf(kSettingsFrame, 0, 0, ""); }

// Of headers that go on: a name, and 16,000 bytes of a value (RFC 7541, 6.2.2).
std::string MoreHeaders() {
  const std::string header = std::string("\0\x03x-a\x7f\x81\x7c", 8) + std::string(16'000, 'a');
  return FrameOf(kContinuationFrame, 0, 1, header);
}

// Sends `frames` again and again until the connection ends, `enough` says so, or time is over.
// Whether it has ended.
template <typename Frames, typename Enough>
bool Flood(RawConnection& connection, Frames frames, Enough enough,
           absl::Duration most = kMostAttack) {
  for (const absl::Time until = absl::Now() + most; absl::Now() < until && !enough();) {
    if (!connection.Send(frames())) return true;
  }
  return !connection.IsOpen();
}

const auto kNeverEnough = [] { return false; };

// What the next test is about.
TEST_F(HaproxyTest, HeadersThatDoNotEndMakeGrpcItselfGrow) {
  Start();
  SecuredPriorityd exposed("", {"--memory_budget=256"});
  const double before = exposed.ResidentMib();
  bool has_grown = false;  // It may shrink again.
  const auto grown = [&] {
    has_grown = has_grown || exposed.ResidentMib() > before + kMostGrowthMib;
    return has_grown;
  };
  for (int turn = 0; turn < 20 && !grown(); ++turn) {
    RawConnection connection(exposed.port());
    connection.Send(Greeting() + FrameOf(kHeadersFrame, 0, 1, HeadersOf(kListShares)));
    Flood(connection, MoreHeaders, grown, kLongAttack);
  }
  EXPECT_TRUE(kIsSanitized || grown()) << "is the proxy still needed?";
}

TEST_F(HaproxyTest, HeadersThatDoNotEndEndTheirConnectionThere) {
  Start();
  HonestUser user(Honest());
  user.AwaitCalls(5);
  const double before = ResidentMib();
  for (int i = 0; i < 50; ++i) {
    RawConnection connection(haproxy_->port(), kAttacker);
    connection.Send(Greeting() + FrameOf(kHeadersFrame, 0, 1, HeadersOf(kListShares)));
    ASSERT_TRUE(Flood(connection, MoreHeaders, kNeverEnough));
  }
  // A frame that claims what no frame may have, and many small headers.
  RawConnection claims(haproxy_->port(), kAttacker);
  claims.Send(Greeting() + BigEndian(0xffffff, 3) + FrameOf(kHeadersFrame, 0, 1, "").substr(3));
  EXPECT_TRUE(claims.AwaitEnd(60'000));
  RawConnection small(haproxy_->port(), kAttacker);
  small.Send(Greeting() + FrameOf(kHeadersFrame, 0, 1, HeadersOf(kListShares)));
  EXPECT_TRUE(Flood(
      small, [] { return FrameOf(kContinuationFrame, 0, 1, std::string("\0\1a\1b", 5)); },
      kNeverEnough));
  user.AwaitCalls(5);
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

// They say nothing: neither HAProxy nor gRPC counts them.
TEST_F(HaproxyTest, ContinuationsOfNoBytesHarmNobody) {
  Start();
  HonestUser user(Honest());
  user.AwaitCalls(5);
  const double before = ResidentMib();
  std::string frames;
  for (int i = 0; i < 5000; ++i) frames += FrameOf(kContinuationFrame, 0, 1, "");
  RawConnection connection(haproxy_->port(), kAttacker);
  connection.Send(Greeting() + FrameOf(kHeadersFrame, 0, 1, HeadersOf(kListShares)));
  Flood(
      connection, [&] { return frames; }, kNeverEnough, kAttack);
  user.AwaitCalls(5);
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

// A thousand calls that are cancelled as soon as they are made.
class Resets {
 public:
  explicit Resets(bool with_message) : with_message_(with_message) {}
  std::string operator()() {
    std::string frames;
    for (int i = 0; i < 1000; ++i, stream_ += 2) {
      frames += FrameOf(kHeadersFrame, kEndHeaders, stream_, headers_);
      if (with_message_) frames += FrameOf(kDataFrame, kEndStream, stream_, std::string(5, '\0'));
      frames += FrameOf(kResetFrame, 0, stream_, BigEndian(8, 4));
    }
    return frames;
  }

 private:
  const bool with_message_;
  const std::string headers_ = HeadersOf(kListShares);
  uint32_t stream_ = 1;
};

TEST_F(HaproxyTest, CallsThatAreResetAtOnceHarmNobody) {
  Start();
  HonestUser user(Honest());
  user.AwaitCalls(5);
  const double before = ResidentMib();
  for (const bool with_message : {false, true}) {
    RawConnection connection(haproxy_->port(), kAttacker);
    connection.Send(Greeting());
    Flood(connection, Resets(with_message), kNeverEnough, kAttack);
    user.AwaitCalls(5);
  }
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

TEST_F(HaproxyTest, AnAddressHasABoundOfConnectionsAndOthersAreServed) {
  Start({"CONNECTIONS=20"});
  // HAProxy takes them on several threads, in any order.
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 40; ++i) {
    silent.push_back(std::make_unique<RawConnection>(haproxy_->port(), kAttacker));
  }
  const auto open = [&] {
    return absl::c_count_if(silent, [](const auto& connection) { return connection->IsOpen(); });
  };
  EXPECT_TRUE(Await([&] { return open() <= 20; }));
  EXPECT_GE(open(), 10);  // Until their headers are due, after ten seconds.
  EXPECT_TRUE(client::PriorityClient(Through("root")).RankJobs(Jobs(1)).ok());
}

TEST_F(HaproxyTest, AnAddressThatCallsTooOftenGetsADelayToRetry) {
  Start({"CALLS_PER_10S=5"});
  client::ConnectOptions options = Through("root");
  options.retry.max_attempts = 1;
  const client::PriorityClient root(options);
  int served = 0;
  absl::Status refused;
  while (refused.ok() && served < 50) {
    refused = root.RankJobs(Jobs(1)).status();
    served += refused.ok() ? 1 : 0;
  }
  EXPECT_GE(served, 5);  // More where they take longer than 10 s.
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
  EXPECT_EQ(refused.message().substr(0, 23), "HAProxy: too many calls") << refused;
}

TEST_F(HaproxyTest, WithoutTheSecretItDoesNotStart) {
  std::string output;
  EXPECT_FALSE(CheckHaproxy({}, &output));
  EXPECT_THAT(output,
              AllOf(HasSubstr("PRIORITYD_PROXY_SECRET"), HasSubstr("/etc/default/haproxy")));
}

}  // namespace
}  // namespace priorityd
