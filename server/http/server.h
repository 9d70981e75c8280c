// The HTTP listener.
#ifndef PRIORITYD_SERVER_HTTP_SERVER_H_
#define PRIORITYD_SERVER_HTTP_SERVER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/http/exchange.h"
#include "server/http/tls_context.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"

namespace priorityd::http {

// The bounds ensure that a reader of figures cannot delay other readers or the rest of the process.
struct ServerOptions {
  std::string listen = "127.0.0.1:7412";  // HOST:PORT; port 0 = any free one.
  TlsFiles tls;
  int threads = 4;                // Threads for handlers.
  size_t max_connections = 2048;  // Beyond these, the longest idle ones are closed.
  size_t max_streams = 1024;      // Open event streams.
  quotas::Parts parts;            // The part of all this for one address.
  size_t max_head_bytes = 16 << 10;
  size_t max_body_bytes = 64 << 20;
  // A larger body is read only if Routes::check_large allows it.
  size_t small_body_bytes = 64 << 10;
  size_t all_body_bytes = 128 << 20;    // Of all requests being read or answered.
  size_t all_answer_bytes = 256 << 20;  // Of all answers and events being sent.
  // Of all pages above kSmallPageBytes being sent. Pages take no `memory`, so that probes are
  // answered while requests hold all of it.
  size_t all_page_bytes = 128 << 20;
  // A further budget from which bodies and answers are taken.
  quotas::Backing memory;
  // Time limits to receive a request's head, to receive its body, and to send a piece of the
  // answer.
  absl::Duration read_time = absl::Seconds(5);
  absl::Duration body_time = absl::Seconds(30);
  absl::Duration write_time = absl::Seconds(10);
  // A whole answer may take additional time in proportion to its size at this rate.
  size_t least_bytes_per_second = 256 << 10;
  // The longest time that a connection waits for its next request.
  absl::Duration idle_time = absl::Seconds(60);
  // The interval of keepalives on a stream without events.
  absl::Duration heartbeat = absl::Seconds(15);
};

// Serves from Start until it is destroyed. Thread-compatible.
class Server {
 public:
  // FAILED_PRECONDITION if the address cannot be bound, or a TLS file is invalid.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options, Routes routes);
  // Finishes running requests and ends streams.
  ~Server();

  // host:port with the chosen port.
  const std::string& address() const { return address_; }

  // The use of connections, requests, streams and bytes. Thread-safe.
  std::vector<quotas::Usage> Usages() const;

 private:
  class Listener;

  Server(std::unique_ptr<Listener> listener, std::string address);

  const std::unique_ptr<Listener> listener_;
  const std::string address_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_SERVER_H_
