// Clients that mean harm: the server stays up, others are served meanwhile, and its memory has a
// bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/await.h"
#include "tests/end_to_end/honest_user.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/raw_http2.h"
#include "tests/sanitizer.h"
#include "tests/server/identity/certificate_authority.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
using ::testing::AnyOf;

constexpr char kListShares[] = "/priority.v1.PriorityService/ListShares";
// gRPC's memory goes by it.
const std::vector<std::string> kSmallBudget = {"--memory_budget=64"};
constexpr char kTightLimits[] = "SlurmctldParameters=rl_enable,rl_bucket_size=30\n";
// The most that a server of a few associations may grow by what is done to it.
constexpr double kMostGrowthMib = kIsSanitized ? 2000 : 200;
// In milliseconds: a connection that is not ended stays open.
constexpr int kMostTimeToEnd = 120'000;
constexpr uint8_t kEndHeaders = 4, kPadded = 8;

// Root has no rate.
HonestUser::Options RootOf(const SecuredPriorityd& server) {
  return {.connect = server.As("root"), .resident_mib = [&server] { return server.ResidentMib(); }};
}

std::string Settings(const std::string& payload = "") {
  return FrameOf(kSettingsFrame, 0, 0, payload);
}

// After the greetings of an honest client.
std::string After(const std::string& bytes) { return kHttp2Preface + Settings() + bytes; }

std::string Huge(int bytes) { return std::string(bytes, 'a'); }

// A frame that claims another length than it has.
std::string Claiming(uint32_t length, FrameType type, const std::string& payload) {
  return BigEndian(length, 3) + FrameOf(type, 0, 1, payload).substr(3);
}

std::vector<std::string> MalformedConversations() {
  const std::string headers = HeadersOf(kListShares);
  std::string many_settings;
  for (int i = 0; i < 2700; ++i) many_settings += BigEndian(i, 2) + BigEndian(0xffffffff, 4);
  std::vector<std::string> all = {
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
      std::string(1 << 20, '\0'), Huge(1 << 20), After(""), kHttp2Preface + headers,
      kHttp2Preface + Settings(many_settings), After(Settings("odd")),
      After(Claiming(0xffffff, kDataFrame, Huge(1 << 16))),
      After(Claiming(0xffffff, kSettingsFrame, Huge(1 << 16))),
      After(Claiming(1 << 20, kHeadersFrame, Huge(1 << 20))),
      After(FrameOf(kHeadersFrame, kEndHeaders, 0, headers)),
      After(FrameOf(kHeadersFrame, kEndHeaders, 2, headers)),
      After(FrameOf(kHeadersFrame, kEndHeaders, 5, headers) +
            FrameOf(kHeadersFrame, kEndHeaders, 3, headers)),
      After(FrameOf(kContinuationFrame, 0, 1, headers)),
      After(FrameOf(kHeadersFrame, 0, 1, headers) + FrameOf(kDataFrame, 0, 1, "x")),
      After(FrameOf(kHeadersFrame, kEndHeaders | kPadded, 1, "\xff" + headers)),
      // An index beyond the tables, an endless number, Huffman code that is none.
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, "\x3f\xff\xff\xff\xff\xff\xff\xff\xff\x7f")),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, std::string("\0\xff\xff\xff\xff\xff", 6))),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, HeadersOf(Huge(100)).substr(0, 20))),
      After(FrameOf(kDataFrame, 0, 7, "for nobody")),
      After(FrameOf(kWindowUpdateFrame, 0, 0, BigEndian(0, 4))),
      After(FrameOf(kWindowUpdateFrame, 0, 0, BigEndian(0x7fffffff, 4)) +
            FrameOf(kWindowUpdateFrame, 0, 0, BigEndian(0x7fffffff, 4))),
      After(FrameOf(kPingFrame, 0, 0, "short")),
      After(FrameOf(kPushFrame, kEndHeaders, 1, BigEndian(2, 4) + headers)),
      After(FrameOf(kGoAwayFrame, 0, 0, "")), After(FrameOf(kResetFrame, 0, 9, BigEndian(0, 4))),
      After(FrameOf(static_cast<FrameType>(0xfe), 0xff, 1, Huge(1000))),
      // A call without a message, with half of one, and with one that claims 4 GiB.
      After(FrameOf(kHeadersFrame, kEndHeaders | 1, 1, headers)),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, headers) +
            FrameOf(kDataFrame, 1, 1, std::string("\0\0\0\0\x09half", 9))),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, headers) +
            FrameOf(kDataFrame, 1, 1, std::string("\0\xff\xff\xff\xff", 5) + Huge(100))),
      After(FrameOf(kHeadersFrame, kEndHeaders, 1, HeadersOf("/" + Huge(120))))};
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string noise(random() % 5000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    all.push_back(i % 2 == 0 ? noise : After(noise));
  }
  return all;
}

TEST(AbuseTest, MalformedHttp2HarmsNobodyElse) {
  SecuredPriorityd server;
  HonestUser user(RootOf(server));
  user.AwaitCalls(5);
  const double before = server.ResidentMib();
  for (int round = 0; round < 3; ++round) {
    for (const std::string& bytes : MalformedConversations()) {
      RawConnection(server.port()).Send(bytes);
    }
  }
  user.AwaitCalls(20);
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

// Frames that cost their sender little, without an end; but for headers that do not end, which gRPC
// 1.51 does not bound (docs/security.md).
struct Flood {
  const char* name;
  std::string begin;
  std::string again;
  int times;
};

std::vector<Flood> Floods() {
  const std::string headers = HeadersOf(kListShares);
  return {
      {"headers of no bytes", After(FrameOf(kHeadersFrame, 0, 1, headers)),
       FrameOf(kContinuationFrame, 0, 1, ""), 500'000},
      {"settings", After(""), Settings(BigEndian(4, 2) + BigEndian(65'535, 4)), 300'000},
      {"data of no bytes", After(FrameOf(kHeadersFrame, kEndHeaders, 1, headers)),
       FrameOf(kDataFrame, 0, 1, ""), 500'000},
      {"priorities", After(""), FrameOf(kPriorityFrame, 0, 1, BigEndian(0, 5)), 500'000},
  };
}

TEST(AbuseTest, FloodsOfFramesHarmNobodyElse) {
  SecuredPriorityd server("", kSmallBudget);
  HonestUser user(RootOf(server));
  user.AwaitCalls(5);
  const double before = server.ResidentMib();
  for (const Flood& flood : Floods()) {
    RawConnection connection(server.port());
    connection.Send(flood.begin);
    std::string frames;
    int sent = 0;
    const absl::Time until = absl::Now() + absl::Seconds(3);
    while (sent < flood.times && absl::Now() < until) {
      for (frames.clear(); frames.size() < 65'536 && sent < flood.times; ++sent) {
        frames += flood.again;
      }
      if (!connection.Send(frames)) break;
    }
    std::printf("%s: %d frames taken, %s; %.0f MiB\n", flood.name, sent,
                connection.IsOpen() ? "still open" : "shown out", server.ResidentMib());
    user.AwaitCalls(2);
  }
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

// Calls that are cancelled as soon as they are made. gRPC 1.51 processes them nevertheless, so
// that others wait (docs/security.md).
TEST(AbuseTest, AfterAFloodOfCallsThatAreResetTheServerServes) {
  SecuredPriorityd server("", kSmallBudget);
  HonestUser user(RootOf(server));
  user.AwaitCalls(5);
  {
    RawConnection connection(server.port());
    connection.Send(After(""));
    const std::string headers = HeadersOf(kListShares);
    uint32_t stream = 1;
    for (const absl::Time until = absl::Now() + absl::Seconds(2); absl::Now() < until;) {
      std::string frames;
      for (int i = 0; i < 1000; ++i, stream += 2) {
        frames += FrameOf(kHeadersFrame, kEndHeaders, stream, headers) +
                  FrameOf(kResetFrame, 0, stream, BigEndian(8, 4));
      }
      if (!connection.Send(frames)) break;
    }
    std::printf("%u calls made and taken back; %.0f MiB\n", stream / 2, server.ResidentMib());
  }
  user.AwaitCalls(5);
  // What the flood has queued keeps gRPC's memory for a while, in which it may refuse streams.
  absl::Status served;
  Await([&] {
    served = client::PriorityClient(server.As("root")).ListShares({}).status();
    return served.ok();
  });
  EXPECT_TRUE(served.ok()) << served;
}

// A third never says anything, a third takes its time with the greeting, and a third begins calls
// that it never ends.
TEST(AbuseTest, ManySlowConnectionsHarmNobodyAndThoseThatDoNotGreetAreEnded) {
  SecuredPriorityd server;
  HonestUser user(RootOf(server));
  user.AwaitCalls(5);
  const double before = server.ResidentMib();
  constexpr int kConnections = 1500;
  std::vector<std::unique_ptr<RawConnection>> silent, slow, endless;
  const std::string greeting = kHttp2Preface;
  for (int i = 0; i < kConnections / 3; ++i) {
    silent.push_back(std::make_unique<RawConnection>(server.port()));
    slow.push_back(std::make_unique<RawConnection>(server.port()));
    slow.back()->Send(greeting.substr(0, 1));
    endless.push_back(std::make_unique<RawConnection>(server.port()));
    endless.back()->Send(After(FrameOf(kHeadersFrame, kEndHeaders, 1, HeadersOf(kListShares)) +
                               FrameOf(kDataFrame, 0, 1, std::string("\0\0\0\xff\xff", 5))));
  }
  for (size_t byte = 1; byte < 12; ++byte) {
    for (const auto& connection : slow) connection->Send(greeting.substr(byte, 1));
    for (const auto& connection : endless) {
      connection->Send(FrameOf(kDataFrame, 0, 1, "x"));
    }
    user.AwaitCalls(20);
  }
  for (const auto& connection : silent) ASSERT_TRUE(connection->AwaitEnd(kMostTimeToEnd));
  for (const auto& connection : slow) ASSERT_TRUE(connection->AwaitEnd(kMostTimeToEnd));
  user.ExpectServed();
  EXPECT_LT(user.most(), before + kMostGrowthMib);
}

TEST(AbuseTest, TlsHandshakesThatNeverEndAreEnded) {
  const identity::CertificateAuthority authority;
  const auto files = authority.Issue("server", "IP:127.0.0.1");
  SecuredPriorityd server("", {"--tls_cert=" + files.certificate, "--tls_key=" + files.key});
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (int i = 0; i < 300; ++i) {
    connections.push_back(std::make_unique<RawConnection>(server.port()));
    // A record of a handshake that claims 16 KiB, and the beginning of a ClientHello.
    if (i % 2 == 0)
      connections.back()->Send(std::string("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc", 9));
  }
  for (const auto& connection : connections) ASSERT_TRUE(connection->AwaitEnd(kMostTimeToEnd));
  client::ConnectOptions options = server.As("root");
  options.credentials = *client::MakeChannelCredentials({.ca = authority.certificate()});
  const absl::Status served = client::PriorityClient(options).ListShares({}).status();
  EXPECT_EQ(served.code(), absl::StatusCode::kFailedPrecondition) << "there is no cluster yet";
}

size_t OpenFiles(SecuredPriorityd& server) {
  const std::filesystem::directory_iterator files(
      absl::StrCat("/proc/", server.process().pid(), "/fd"));
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

// More connections than the process may have files.
TEST(AbuseTest, WithoutAFileLeftNewConnectionsEndAndThereIsRoomWhenOthersHaveGone) {
  SecuredPriorityd server;
  HonestUser(RootOf(server)).AwaitCalls(5);
  constexpr rlim_t kFiles = 300;
  const rlimit few = {kFiles, kFiles};
  ASSERT_EQ(prlimit(server.process().pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  {
    std::vector<std::unique_ptr<RawConnection>> crowd;
    for (rlim_t i = 0; i < 2 * kFiles; ++i) {
      crowd.push_back(std::make_unique<RawConnection>(server.port()));
    }
    EXPECT_TRUE(crowd.back()->AwaitEnd(kMostTimeToEnd)) << "it waits for a file";
  }
  EXPECT_TRUE(Await([&] { return OpenFiles(server) < kFiles / 2; }));
  HonestUser user(RootOf(server));
  user.AwaitCalls(5);
  user.ExpectServed();
}

int FailedLogins() {
  const char* wanted = std::getenv("PRIORITYD_FAILED_LOGINS");
  int number = 0;
  return wanted != nullptr && absl::SimpleAtoi(wanted, &number) ? number : 10'000;
}

// Logs in with what is no proof, one after another.
void FailToLogIn(SecuredPriorityd& server, int number, int times) {
  const std::string forged = identity::SigningKey::OfSecret("another").Token(
      absl::StrCat(R"({"sun":"amy","exp":4102444800,"n":)", number, "}"));
  const std::vector<std::string> proofs = {"Bearer " + forged,     "Bearer " + forged + "x",
                                           "Bearer a.b.c",         "Bearer " + Huge(4000),
                                           "MUNGE MUNGE:AwQFAAA:", "Basic cm9vdDpyb290"};
  const auto stub = v1::PriorityService::NewStub(server.process().Connect());
  for (int i = 0; i < times; ++i) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", proofs[i % proofs.size()]);
    context.set_deadline(absl::ToChronoTime(absl::Now() + HonestUser::kPatience));
    v1::ListSharesResponse response;
    const grpc::Status status = stub->ListShares(&context, {}, &response);
    ASSERT_THAT(status.error_code(), AnyOf(grpc::UNAUTHENTICATED, grpc::RESOURCE_EXHAUSTED))
        << status.error_message();
  }
}

TEST(AbuseTest, FailedLoginsHarmNobodyElse) {
  const int logins = FailedLogins();
  for (const char* settings : {"", kTightLimits}) {
    SecuredPriorityd server(settings);
    HonestUser user(RootOf(server));
    user.AwaitCalls(5);
    const double before = server.ResidentMib();
    const absl::Time start = absl::Now();
    std::vector<std::thread> attackers;
    constexpr int kAttackers = 4;
    for (int i = 0; i < kAttackers; ++i) {
      attackers.emplace_back([&, i] { FailToLogIn(server, i, logins / 2 / kAttackers); });
    }
    for (std::thread& attacker : attackers) attacker.join();
    std::printf("%d failed logins%s in %.1f s\n", logins / 2, *settings == '\0' ? "" : ", limited",
                absl::ToDoubleSeconds(absl::Now() - start));
    user.AwaitCalls(5);
    user.ExpectServed();
    EXPECT_LT(user.most(), before + kMostGrowthMib);
  }
}

}  // namespace
}  // namespace priorityd
