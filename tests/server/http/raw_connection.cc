#include "tests/server/http/raw_connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace priorityd::http {

RawConnection::RawConnection(const std::string& address, const std::string& from)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const size_t colon = address.rfind(':');
  sockaddr_in peer = {};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &peer.sin_addr);
  const timeval minute = {.tv_sec = 60, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
  if (!from.empty()) {
    sockaddr_in self = {};
    self.sin_family = AF_INET;
    inet_pton(AF_INET, from.c_str(), &self.sin_addr);
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&self), sizeof(self)), 0) << from;
  }
  EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&peer), sizeof(peer)), 0) << address;
}

RawConnection::~RawConnection() { close(socket_); }

bool RawConnection::Send(const std::string& text) {
  return send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string RawConnection::ReadSome() {
  char buffer[4096];
  const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
  return got <= 0 ? "" : std::string(buffer, static_cast<size_t>(got));
}

std::string RawConnection::ReadAll() {
  std::string all;
  for (;;) {
    const std::string some = ReadSome();
    if (some.empty()) return all;
    all += some;
  }
}

}  // namespace priorityd::http
