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

// The bounds are there so that who may only look at figures cannot hold up those who look at
// them too, nor the rest of the process.
struct ServerOptions {
  std::string listen = "127.0.0.1:7412";  // HOST:PORT; port 0 = any free one.
  TlsFiles tls;
  int threads = 4;                // That handlers run on.
  size_t max_connections = 2048;  // For more than these the oldest without a request are closed.
  size_t max_streams = 1024;      // Of events, open at once.
  quotas::Parts parts;            // What the peers at one address may hold of all this.
  size_t max_head_bytes = 16 << 10;
  size_t max_body_bytes = 64 << 20;
  // A larger one is read once Routes::check_large has nothing against it.
  size_t small_body_bytes = 64 << 10;
  size_t all_body_bytes = 128 << 20;    // Of all requests that are being read or answered.
  size_t all_answer_bytes = 256 << 20;  // Of all answers that wait for their readers.
  // Of all pages above kSmallPageBytes that wait for their readers. Pages take no `memory`, so that
  // probes are answered while requests hold all of it.
  size_t all_page_bytes = 128 << 20;
  // What bodies and answers are taken of besides.
  quotas::Backing memory;
  // Until the head of a request is there, until its body is, and until a piece of the answer is
  // taken.
  absl::Duration read_time = absl::Seconds(5);
  absl::Duration body_time = absl::Seconds(30);
  absl::Duration write_time = absl::Seconds(10);
  // A whole answer may take so much longer as it takes at this rate.
  size_t least_bytes_per_second = 256 << 10;
  // How long a connection waits for its next request.
  absl::Duration idle_time = absl::Seconds(60);
  // How often a stream without events says that it is still there.
  absl::Duration heartbeat = absl::Seconds(15);
};

// Serves from Start until it is destroyed. Thread-compatible.
class Server {
 public:
  // FAILED_PRECONDITION if the address cannot be had, or the files of TLS cannot be used.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options, Routes routes);
  // Finishes the requests at work, and ends streams.
  ~Server();

  // host:port, with the port that was chosen.
  const std::string& address() const { return address_; }

  // What is held of connections, requests, streams and bytes. Thread-safe.
  std::vector<quotas::Usage> Usages() const;

 private:
  class Listener;

  Server(std::unique_ptr<Listener> listener, std::string address);

  const std::unique_ptr<Listener> listener_;
  const std::string address_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_SERVER_H_
