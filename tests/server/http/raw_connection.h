// A TCP connection on which a test says what it likes.
#ifndef PRIORITYD_TESTS_SERVER_HTTP_RAW_CONNECTION_H_
#define PRIORITYD_TESTS_SERVER_HTTP_RAW_CONNECTION_H_

#include <string>

namespace priorityd::http {

class RawConnection {
 public:
  // `address`: of this host, as 127.0.0.1:PORT. `from`: the client's own, as 127.0.0.2; empty =
  // any.
  explicit RawConnection(const std::string& address, const std::string& from = "");
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // False once the peer has closed it.
  bool Send(const std::string& text);
  // The next bytes; empty once the peer has closed it.
  std::string ReadSome();
  // All that comes until the peer closes it, for a minute at most.
  std::string ReadAll();

 private:
  int socket_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_TESTS_SERVER_HTTP_RAW_CONNECTION_H_
