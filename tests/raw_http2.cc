#include "tests/raw_http2.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace priorityd {
namespace {

constexpr size_t kFrameHead = 9;
constexpr int kPatienceMs = 1000;

constexpr uint8_t kAck = 1;
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;
constexpr uint32_t kStream = 1;
constexpr uint16_t kInitialWindowSize = 4;

uint64_t Number(const std::string& text, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<uint8_t>(text[i]);
  return value;
}

std::string Short(const std::string& text) { return BigEndian(text.size(), 1) + text; }

sockaddr_in AddressOf(const char* host, int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

int ConnectTo(int port, const char* from) {
  const sockaddr_in here = AddressOf(from, 0), there = AddressOf("127.0.0.1", port);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, reinterpret_cast<const sockaddr*>(&here), sizeof(here)) == 0 &&
      connect(fd, reinterpret_cast<const sockaddr*>(&there), sizeof(there)) == 0) {
    return fd;
  }
  std::perror("connect");
  std::abort();
}

}  // namespace

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 0xff);
  }
  return text;
}

std::string FrameOf(FrameType type, uint8_t flags, uint32_t stream, const std::string& payload) {
  return BigEndian(payload.size(), 3) + BigEndian(type, 1) + BigEndian(flags, 1) +
         BigEndian(stream, 4) + payload;
}

// RFC 7541: from the static table where it is there, without indexing and Huffman.
std::string HeadersOf(const std::string& path) {
  return std::string("\x83\x86", 2) + "\x04" + Short(path) + "\x01" + Short("localhost") +
         "\x0f\x10" + Short("application/grpc") + std::string(1, '\0') + Short("te") +
         Short("trailers");
}

RawConnection::RawConnection(int port, const char* from) : fd_(ConnectTo(port, from)) {}

RawConnection::~RawConnection() { close(fd_); }

bool RawConnection::Send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size() && IsOpen()) {
    pollfd writable = {fd_, POLLOUT, 0};
    if (poll(&writable, 1, kPatienceMs) != 1) return false;
    const ssize_t size =
        send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size > 0) sent += size;
  }
  return sent == bytes.size();
}

bool RawConnection::IsOpen() {
  std::array<char, 16'384> buffer;
  ssize_t size;
  while ((size = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
  }
  return size < 0 && (errno == EAGAIN || errno == EINTR);
}

bool RawConnection::AwaitEnd(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (IsOpen()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd readable = {fd_, POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) < 1) return false;
  }
  return true;
}

RawHttp2::RawHttp2(int port, uint32_t window) : fd_(ConnectTo(port, "127.0.0.1")) {
  Send(kHttp2Preface +
       FrameOf(kSettingsFrame, 0, 0, BigEndian(kInitialWindowSize, 2) + BigEndian(window, 4)));
}

RawHttp2::~RawHttp2() { close(fd_); }

bool RawHttp2::Send(const std::string& bytes) const {
  return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

void RawHttp2::Call(const std::string& path, const std::string& message) {
  Send(FrameOf(kHeadersFrame, kEndHeaders, kStream, HeadersOf(path)) +
       FrameOf(kDataFrame, kEndStream, kStream,
               std::string(1, '\0') + BigEndian(message.size(), 4) + message));
}

bool RawHttp2::Ping() { return Send(FrameOf(kPingFrame, 0, 0, "priority")); }

bool RawHttp2::Serve(bool takes) {
  std::array<char, 16'384> buffer;
  ssize_t size;
  while ((size = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
    received_.append(buffer.data(), size);
    while (received_.size() >= kFrameHead) {
      const size_t payload = Number(received_, 0, 3);
      if (received_.size() < kFrameHead + payload) break;
      Take(received_[3], received_[4], received_.substr(kFrameHead, payload), takes);
      received_.erase(0, kFrameHead + payload);
    }
  }
  received_.shrink_to_fit();
  return size < 0 && (errno == EAGAIN || errno == EINTR);
}

void RawHttp2::Take(uint8_t type, uint8_t flags, const std::string& payload, bool takes) {
  if (type == kSettingsFrame && (flags & kAck) == 0) Send(FrameOf(kSettingsFrame, kAck, 0, ""));
  if (type == kPingFrame && (flags & kAck) == 0) Send(FrameOf(kPingFrame, kAck, 0, payload));
  if (type == kGoAwayFrame) goodbye_ = static_cast<uint32_t>(Number(payload, 4, 4));
  if (type != kDataFrame || payload.empty()) return;
  bytes_ += static_cast<int64_t>(payload.size());
  const std::string taken = BigEndian(payload.size(), 4);
  if (takes)
    Send(FrameOf(kWindowUpdateFrame, 0, 0, taken) + FrameOf(kWindowUpdateFrame, 0, kStream, taken));
}

}  // namespace priorityd
