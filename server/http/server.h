// The HTTP listener.
#ifndef PRIORITYD_SERVER_HTTP_SERVER_H_
#define PRIORITYD_SERVER_HTTP_SERVER_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/http/tls_context.h"

namespace priorityd::http {

// A GET, or a HEAD.
struct Request {
  std::string path;
  std::string accept;  // The header Accept; empty = the client takes anything.
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Called by several threads at once.
using Handler = std::function<Response(const Request&)>;
// By path, as "/metrics".
using Handlers = std::map<std::string, Handler>;

// The bounds are there so that who may only look at figures cannot hold up those who look at
// them too, nor the rest of the process.
struct ServerOptions {
  std::string listen = "127.0.0.1:7412";  // HOST:PORT; port 0 = any free one.
  TlsFiles tls;
  // Connections served at once, and those that wait for it; others are closed. Each is for one
  // request.
  int threads = 8;
  size_t max_waiting = 32;
  size_t max_request_bytes = 8 << 10;
  // Until a request is there, and until its answer is sent.
  absl::Duration read_time = absl::Seconds(2);
  absl::Duration write_time = absl::Seconds(10);
};

// Serves from Start until it is destroyed. Thread-compatible.
class Server {
 public:
  // FAILED_PRECONDITION if the address cannot be had, or the files of TLS cannot be used.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Handlers handlers);
  // Finishes the requests at work.
  ~Server();

  // host:port, with the port that was chosen.
  const std::string& address() const { return address_; }

 private:
  class Listener;

  Server(std::unique_ptr<Listener> listener, std::string address);

  const std::unique_ptr<Listener> listener_;
  const std::string address_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_SERVER_H_
