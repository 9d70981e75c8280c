#include "tests/soak/hostile_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::soak {
namespace {

constexpr timeval kPatienceOfSockets = {.tv_sec = 3};
constexpr absl::string_view kHttp = "HTTP/1.1 ";
constexpr size_t kStatusDigits = 3;

}  // namespace

HostileSocket::HostileSocket(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &kPatienceOfSockets, sizeof(kPatienceOfSockets));
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kPatienceOfSockets, sizeof(kPatienceOfSockets));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return;
  close(fd_);
  fd_ = -1;
}

HostileSocket::~HostileSocket() {
  if (fd_ >= 0) close(fd_);
}

HostileSocket::HostileSocket(HostileSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

bool HostileSocket::Send(const std::string& bytes) const {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t size = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return false;
    sent += static_cast<size_t>(size);
  }
  return true;
}

std::string HostileSocket::ReadSome() const {
  std::array<char, 4096> buffer;
  const ssize_t size = recv(fd_, buffer.data(), buffer.size(), 0);
  return size <= 0 ? "" : std::string(buffer.data(), static_cast<size_t>(size));
}

std::string PostOf(const std::string& path, const std::string& headers, const std::string& body) {
  return absl::StrCat("POST ", path, " HTTP/1.1\r\nHost: 127.0.0.1\r\n", headers,
                      "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n",
                      body);
}

int HttpStatusOf(const std::string& answer) {
  int status = kNoAnswer;
  const absl::string_view text = answer;
  if (text.substr(0, kHttp.size()) != kHttp) return kNoAnswer;
  return absl::SimpleAtoi(text.substr(kHttp.size(), kStatusDigits), &status) ? status : kNoAnswer;
}

}  // namespace priorityd::soak
