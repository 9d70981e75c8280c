// HTTP/2 by hand: clients of a gRPC server that cost next to nothing, or misbehave.
#ifndef PRIORITYD_TESTS_RAW_HTTP2_H_
#define PRIORITYD_TESTS_RAW_HTTP2_H_

#include <cstdint>
#include <optional>
#include <string>

namespace priorityd {

// What a client says first.
inline constexpr char kHttp2Preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113, 6.
enum FrameType : uint8_t {
  kDataFrame = 0,
  kHeadersFrame = 1,
  kPriorityFrame = 2,
  kResetFrame = 3,
  kSettingsFrame = 4,
  kPushFrame = 5,
  kPingFrame = 6,
  kGoAwayFrame = 7,
  kWindowUpdateFrame = 8,
  kContinuationFrame = 9,
};

// A frame, well made or not.
std::string FrameOf(FrameType type, uint8_t flags, uint32_t stream, const std::string& payload);
// The headers of a call of `path`, as the payload of a frame.
std::string HeadersOf(const std::string& path);
// `value` in so many bytes, the highest first.
std::string BigEndian(uint64_t value, int bytes);

// Bytes to a server, of whatever kind.
class RawConnection {
 public:
  // To a port of 127.0.0.1, from another address of this host where one is given. Ends the program
  // where it cannot connect.
  explicit RawConnection(int port, const char* from = "127.0.0.1");
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Whether all could be sent; waits a second at most for a server that does not read, and reads
  // incoming frames meanwhile.
  bool Send(const std::string& bytes);
  // Reads what has come, without waiting. False when the server has ended the connection.
  bool IsOpen();
  // Waits for its end; whether it came within so many milliseconds.
  bool AwaitEnd(int milliseconds);

 private:
  const int fd_;
};

// One connection, of one call at most. Not thread-safe.
class RawHttp2 {
 public:
  // RFC 9113, 7.
  static constexpr uint32_t kEnhanceYourCalm = 11;

  // Connects to a port of 127.0.0.1 and says hello. `window`: how many bytes of an answer the
  // server may send before we take some. Ends the program where it cannot connect.
  explicit RawHttp2(int port, uint32_t window = 65'535);
  ~RawHttp2();
  RawHttp2(const RawHttp2&) = delete;
  RawHttp2& operator=(const RawHttp2&) = delete;

  // Begins a call of `path` (`/priority.v1.PriorityService/WatchRanking`) with one message.
  void Call(const std::string& path, const std::string& message);
  // Whether it could be sent.
  bool Ping();

  // Reads what has come without waiting, and answers what HTTP/2 wants answered. False when the
  // connection has ended. Does not take answers of the call into account unless `takes`: then
  // the server may send as many bytes again.
  bool Serve(bool takes);

  int fd() const { return fd_; }
  // Of the call's answers.
  int64_t bytes() const { return bytes_; }
  // The error that the server said goodbye with.
  std::optional<uint32_t> goodbye() const { return goodbye_; }

 private:
  bool Send(const std::string& bytes) const;
  void Take(uint8_t type, uint8_t flags, const std::string& payload, bool takes);

  int fd_;
  std::string received_;  // Of a frame that is not whole.
  int64_t bytes_ = 0;
  std::optional<uint32_t> goodbye_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_RAW_HTTP2_H_
