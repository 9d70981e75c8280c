#include "server/http/tls_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <poll.h>

#include <utility>

namespace priorityd::http {

TlsStream::TlsStream(socket_t socket, const Limits& limits, std::shared_ptr<SSL_CTX> context)
    : DeadlineStream(socket, limits),
      context_(std::move(context)),
      tls_(SSL_new(context_.get()), SSL_free) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  SSL_set_fd(tls_.get(), socket);
  SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
}

TlsStream::~TlsStream() {
  // Tells the peer that this is the end, if that can be told at once.
  if (SSL_is_init_finished(tls_.get()) == 1) SSL_shutdown(tls_.get());
  ERR_clear_error();
}

int TlsStream::Complete(absl::Time until, const std::function<int()>& step) {
  for (;;) {
    ERR_clear_error();
    const int result = step();
    if (result > 0) return result;
    const int error = SSL_get_error(tls_.get(), result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return -1;
    const short events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    if (!AwaitSocket(socket(), events, until)) return -1;
  }
}

bool TlsStream::Handshake() {
  return Complete(read_until(), [this] { return SSL_accept(tls_.get()); }) > 0;
}

ssize_t TlsStream::Receive(char* data, size_t size, absl::Time until) {
  return Complete(until, [&] { return SSL_read(tls_.get(), data, static_cast<int>(size)); });
}

ssize_t TlsStream::Send(const char* data, size_t size, absl::Time until) {
  return Complete(until, [&] { return SSL_write(tls_.get(), data, static_cast<int>(size)); });
}

}  // namespace priorityd::http
