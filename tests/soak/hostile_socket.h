// A connection that sends what no client sends, and goes on when the service is gone.
#ifndef PRIORITYD_TESTS_SOAK_HOSTILE_SOCKET_H_
#define PRIORITYD_TESTS_SOAK_HOSTILE_SOCKET_H_

#include <string>

namespace priorityd::soak {

class HostileSocket {
 public:
  // To a port of 127.0.0.1; one that cannot connect is as one that was closed.
  explicit HostileSocket(int port);
  ~HostileSocket();
  HostileSocket(HostileSocket&& other) noexcept;
  HostileSocket& operator=(HostileSocket&&) = delete;

  // As much as the peer takes within some seconds; whether it was all.
  bool Send(const std::string& bytes) const;
  // What the peer says next, within some seconds; empty if nothing, or if it has closed.
  std::string ReadSome() const;

 private:
  int fd_;  // Below 0: closed.
};

// A request with a JSON body, which `headers` go with; each of these ends with \r\n.
std::string PostOf(const std::string& path, const std::string& headers, const std::string& body);

// Statuses of answers.
inline constexpr int kNoAnswer = 0;
inline constexpr int kOk = 200;
inline constexpr int kUnauthorized = 401;
inline constexpr int kTooManyRequests = 429;
inline constexpr int kUnavailable = 503;

// That of an answer's first line.
int HttpStatusOf(const std::string& answer);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_HOSTILE_SOCKET_H_
