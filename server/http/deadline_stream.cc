#include "server/http/deadline_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/threads/clock.h"

namespace priorityd::http {
namespace {

void Describe(const sockaddr_storage& address, std::string* ip, int* port) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    *port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    *port = ntohs(v6.sin6_port);
  }
  *ip = text;
}

}  // namespace

bool AwaitSocket(socket_t socket, short events, absl::Time until) {
  for (;;) {
    const absl::Duration left = until - threads::RunningTime();
    if (left <= absl::ZeroDuration()) return false;
    pollfd wanted = {.fd = socket, .events = events, .revents = 0};
    const int ready = poll(&wanted, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

DeadlineStream::DeadlineStream(socket_t socket, const Limits& limits)
    : socket_(socket), limits_(limits), read_until_(threads::RunningTime() + limits.read_time) {}

bool DeadlineStream::is_readable() const {
  return begin_ < end_ || AwaitSocket(socket_, POLLIN, read_until_);
}

bool DeadlineStream::is_writable() const {
  return AwaitSocket(socket_, POLLOUT,
                     std::min(write_until_, threads::RunningTime() + limits_.write_time));
}

ssize_t DeadlineStream::Receive(char* data, size_t size, absl::Time until) {
  return AwaitSocket(socket_, POLLIN, until) ? recv(socket_, data, size, MSG_DONTWAIT) : -1;
}

ssize_t DeadlineStream::Send(const char* data, size_t size, absl::Time until) {
  for (;;) {
    if (!AwaitSocket(socket_, POLLOUT, until)) return -1;
    const ssize_t sent = send(socket_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0 || (errno != EAGAIN && errno != EINTR)) return sent;
  }
}

bool DeadlineStream::Fill() {
  const size_t room = std::min(buffer_.size(), limits_.max_bytes - received_);
  const ssize_t got = room == 0 ? 0 : Receive(buffer_.data(), room, read_until_);
  if (got <= 0) return false;
  received_ += static_cast<size_t>(got);
  begin_ = 0;
  end_ = static_cast<size_t>(got);
  return true;
}

ssize_t DeadlineStream::read(char* data, size_t size) {
  if (begin_ == end_ && !Fill()) return -1;
  const size_t taken = std::min(size, end_ - begin_);
  std::memcpy(data, buffer_.data() + begin_, taken);
  begin_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t DeadlineStream::write(const char* data, size_t size) {
  if (write_until_ == absl::InfiniteFuture())
    write_until_ = threads::RunningTime() + limits_.write_time;
  for (size_t sent = 0; sent < size;) {
    const ssize_t some = Send(data + sent, size - sent, write_until_);
    if (some <= 0) return -1;
    sent += static_cast<size_t>(some);
  }
  return static_cast<ssize_t>(size);
}

void DeadlineStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  Describe(address, &ip, &port);
}

void DeadlineStream::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  Describe(address, &ip, &port);
}

}  // namespace priorityd::http
