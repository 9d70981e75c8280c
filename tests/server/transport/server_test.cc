// What the server does to connections, seen by a client that writes its own bytes.
#include "server/transport/server.h"

#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "server/transport/admission.h"

namespace priorityd::rpc {
namespace {

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kFrameHeader = 9;
constexpr uint8_t kSettings = 4;
constexpr uint16_t kMaxConcurrentStreams = 3;

// Says hello as HTTP/2 does, and nothing more.
class QuietClient {
 public:
  explicit QuietClient(const std::string& address) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    int port = 0;
    EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    const std::string hello = kPreface + std::string({0, 0, 0, kSettings, 0, 0, 0, 0, 0});
    EXPECT_EQ(send(socket_, hello.data(), hello.size(), 0), static_cast<ssize_t>(hello.size()));
  }
  ~QuietClient() { close(socket_); }

  // What has come; nullopt when nothing does until then, empty when the connection has ended.
  std::optional<std::string> Read(absl::Time until) {
    pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
    const int64_t wait = absl::ToInt64Milliseconds(until - absl::Now());
    if (wait <= 0 || poll(&readable, 1, static_cast<int>(wait)) <= 0) return std::nullopt;
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof(bytes), 0);
    return std::string(bytes, count <= 0 ? 0 : static_cast<size_t>(count));
  }

 private:
  const int socket_;
};

uint32_t Number(const std::string& bytes, size_t at, size_t size) {
  uint32_t number = 0;
  for (size_t i = at; i < at + size; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

// A setting of the first frame that the server sends.
std::optional<uint32_t> SettingOf(const std::string& received, uint16_t setting) {
  if (received.size() < kFrameHeader || received[3] != kSettings) return std::nullopt;
  const size_t end = kFrameHeader + Number(received, 0, 3);
  for (size_t at = kFrameHeader; at + 6 <= std::min(end, received.size()); at += 6) {
    if (Number(received, at, 2) == setting) return Number(received, at + 2, 4);
  }
  return std::nullopt;
}

// Checks the health, for which no proof is needed, with a message that compresses well.
grpc::Status CheckCompressed(const std::string& address, grpc_compression_algorithm algorithm) {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_compression_algorithm(algorithm);
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(2)));
  const grpc::Slice slice(std::string(64 << 10, '\0'));
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status answer;
  absl::Notification done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &request, &response,
                 [&](grpc::Status status) {
                   answer = std::move(status);
                   done.Notify();
                 });
  done.WaitForNotification();
  return answer;
}

class ServerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Start(ServerOptions options = {}) {
    options.listen = {"127.0.0.1:0"};
    options.admission = &admission_;
    return Server::Start(options, {}).value();
  }

  Admission admission_{1 << 20};
};

TEST_F(ServerTest, AConnectionGetsItsMaximumOfCalls) {
  const auto server = Start();
  QuietClient client(server->address());
  EXPECT_EQ(SettingOf(client.Read(absl::Now() + absl::Minutes(1)).value(), kMaxConcurrentStreams),
            kMaxCallsOfConnection);
}

TEST_F(ServerTest, ACompressedMessageIsRefusedUnread) {
  const auto server = Start();
  EXPECT_EQ(CheckCompressed(server->address(), GRPC_COMPRESS_NONE).error_code(),
            grpc::INVALID_ARGUMENT);
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    EXPECT_EQ(CheckCompressed(server->address(), algorithm).error_code(), grpc::UNIMPLEMENTED);
  }
}

// As one whose host has vanished: it never acknowledges a ping.
TEST_F(ServerTest, APeerWhoGivesNoSignOfLifeIsDropped) {
  const auto server =
      Start({.keepalive_time = absl::Seconds(1), .keepalive_timeout = absl::Seconds(1)});
  QuietClient client(server->address());
  const absl::Time until = absl::Now() + absl::Minutes(2);
  std::optional<std::string> received;
  do {
    received = client.Read(until);
  } while (received.has_value() && !received->empty());
  EXPECT_TRUE(received.has_value()) << "the connection is still there";
}

}  // namespace
}  // namespace priorityd::rpc
