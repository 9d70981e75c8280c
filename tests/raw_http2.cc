#include "tests/raw_http2.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace priorityd {
namespace {

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kFrameHead = 9;

// RFC 9113, 6.
enum FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
};
constexpr uint8_t kAck = 1;
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;
constexpr uint32_t kStream = 1;
constexpr uint16_t kInitialWindowSize = 4;

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 0xff);
  }
  return text;
}

uint64_t Number(const std::string& text, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<uint8_t>(text[i]);
  return value;
}

std::string Frame(FrameType type, uint8_t flags, uint32_t stream, const std::string& payload) {
  return BigEndian(payload.size(), 3) + BigEndian(type, 1) + BigEndian(flags, 1) +
         BigEndian(stream, 4) + payload;
}

std::string Short(const std::string& text) { return BigEndian(text.size(), 1) + text; }

// RFC 7541: from the static table where it is there, without indexing and Huffman.
std::string HeadersOf(const std::string& path) {
  return std::string("\x83\x86", 2) + "\x04" + Short(path) + "\x01" + Short("localhost") +
         "\x0f\x10" + Short("application/grpc") + std::string(1, '\0') + Short("te") +
         Short("trailers");
}

int ConnectTo(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
    return fd;
  std::perror("connect");
  std::abort();
}

}  // namespace

RawHttp2::RawHttp2(int port, uint32_t window) : fd_(ConnectTo(port)) {
  Send(kPreface + Frame(kSettings, 0, 0, BigEndian(kInitialWindowSize, 2) + BigEndian(window, 4)));
}

RawHttp2::~RawHttp2() { close(fd_); }

bool RawHttp2::Send(const std::string& bytes) const {
  return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

void RawHttp2::Call(const std::string& path, const std::string& message) {
  Send(Frame(kHeaders, kEndHeaders, kStream, HeadersOf(path)) +
       Frame(kData, kEndStream, kStream,
             std::string(1, '\0') + BigEndian(message.size(), 4) + message));
}

bool RawHttp2::Ping() { return Send(Frame(kPing, 0, 0, "priority")); }

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
  if (type == kSettings && (flags & kAck) == 0) Send(Frame(kSettings, kAck, 0, ""));
  if (type == kPing && (flags & kAck) == 0) Send(Frame(kPing, kAck, 0, payload));
  if (type == kGoAway) goodbye_ = static_cast<uint32_t>(Number(payload, 4, 4));
  if (type != kData || payload.empty()) return;
  bytes_ += static_cast<int64_t>(payload.size());
  const std::string taken = BigEndian(payload.size(), 4);
  if (takes) Send(Frame(kWindowUpdate, 0, 0, taken) + Frame(kWindowUpdate, 0, kStream, taken));
}

}  // namespace priorityd
