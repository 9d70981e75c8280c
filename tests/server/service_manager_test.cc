#include "server/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace priorityd {
namespace {

// A socket as systemd binds one for a service.
class NotifySocketTest : public testing::Test {
 protected:
  NotifySocketTest() {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string name = "@priorityd-test-" + std::to_string(getpid());
    std::memcpy(address.sun_path, name.data(), name.size());
    address.sun_path[0] = '\0';
    const socklen_t size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~NotifySocketTest() override {
    unsetenv("NOTIFY_SOCKET");
    close(socket_);
  }
  std::string Take() {
    char text[512];
    const ssize_t size = recv(socket_, text, sizeof(text), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text, static_cast<size_t>(size));
  }

  const int socket_ = socket(AF_UNIX, SOCK_DGRAM, 0);
};

TEST_F(NotifySocketTest, SystemdReadsEachState) {
  NotifyReady("listening on 127.0.0.1:7411\nREADY=0");
  EXPECT_EQ(Take(), "READY=1\nSTATUS=listening on 127.0.0.1:7411\\nREADY=0");
  NotifyReloading();
  EXPECT_EQ(Take(), "RELOADING=1");
  NotifyStopping();
  EXPECT_EQ(Take(), "STOPPING=1");
  unsetenv("NOTIFY_SOCKET");
  NotifyStopping();
  EXPECT_EQ(Take(), "");
}

}  // namespace
}  // namespace priorityd
