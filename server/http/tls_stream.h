// A DeadlineStream under TLS.
#ifndef PRIORITYD_SERVER_HTTP_TLS_STREAM_H_
#define PRIORITYD_SERVER_HTTP_TLS_STREAM_H_

#include <openssl/ssl.h>

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "server/http/deadline_stream.h"

namespace priorityd::http {

// Thread-compatible.
class TlsStream : public DeadlineStream {
 public:
  // `socket` must outlive the stream; from now on it does not block.
  TlsStream(socket_t socket, const Limits& limits, std::shared_ptr<SSL_CTX> context);
  ~TlsStream() override;

  // Before anything is read: whether the peer took and gave what the context wants, in the time
  // for reading.
  bool Handshake();

 protected:
  ssize_t Receive(char* data, size_t size, absl::Time until) override;
  ssize_t Send(const char* data, size_t size, absl::Time until) override;

 private:
  // Calls `step` until it does not have to wait for the socket any more.
  int Complete(absl::Time until, const std::function<int()>& step);

  const std::shared_ptr<SSL_CTX> context_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_TLS_STREAM_H_
