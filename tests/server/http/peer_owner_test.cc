#include "server/http/peer_owner.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "tests/denied_call.h"
#include "tests/server/logging/captured_log.h"

namespace priorityd::http {
namespace {

using boost::asio::ip::make_address;
using boost::asio::ip::tcp;

// Both ends of a connection within this host.
class LocalConnection {
 public:
  explicit LocalConnection(const std::string& listen) : acceptor_(io_, {make_address(listen), 0}) {
    client_.connect(acceptor_.local_endpoint());
    acceptor_.accept(server_);
  }
  std::optional<uid_t> OwnerOfClient() {
    return OwnerOf(server_.remote_endpoint(), server_.local_endpoint());
  }
  tcp::socket& client() { return client_; }

 private:
  boost::asio::io_context io_;
  tcp::acceptor acceptor_;
  tcp::socket client_{io_}, server_{io_};
};

TEST(PeerOwnerTest, APeerOnThisHostIsTheUserOfItsSocket) {
  EXPECT_EQ(LocalConnection("127.0.0.1").OwnerOfClient(), geteuid());
  EXPECT_EQ(LocalConnection("127.0.0.2").OwnerOfClient(), geteuid());
}

// SOCK_DIAG reports who opened a socket, not who the server is.
TEST(PeerOwnerTest, APeerWithAnotherUserIdHasThatOne) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to open a socket as another user";
  ASSERT_EQ(seteuid(65534), 0);
  LocalConnection connection("127.0.0.1");
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(connection.OwnerOfClient(), 65534u);
}

TEST(PeerOwnerTest, APeerThatHasClosedItsSocketHasNoUser) {
  LocalConnection connection("127.0.0.1");
  const auto peer = connection.client().local_endpoint();
  const auto own = connection.client().remote_endpoint();
  connection.client().close();
  EXPECT_EQ(OwnerOf(peer, own), std::nullopt);
}

TEST(PeerOwnerTest, APeerOnAnotherHostHasNoUser) {
  EXPECT_EQ(OwnerOf({make_address("192.0.2.1"), 4000}, {make_address("192.0.2.2"), 4001}),
            std::nullopt);
  EXPECT_EQ(OwnerOf({make_address("2001:db8::1"), 4000}, {make_address("2001:db8::2"), 4001}),
            std::nullopt);
}

TEST(PeerOwnerTest, AHostThatRefusesTheQuestionIsLoggedOnce) {
  logging::CapturedLog log(/*json=*/false);
  LocalConnection connection("127.0.0.1");
  bool is_denied = false;
  std::thread([&] {
    is_denied = DenyToThread(SYS_socket, AF_NETLINK, EAFNOSUPPORT);
    EXPECT_EQ(connection.OwnerOfClient(), std::nullopt);
    EXPECT_EQ(connection.OwnerOfClient(), std::nullopt);
  }).join();
  ASSERT_TRUE(is_denied);
  const std::vector<std::string> lines = log.Take();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("all users of this host share one quota of HTTP requests"),
            std::string::npos)
      << lines[0];
}

}  // namespace
}  // namespace priorityd::http
