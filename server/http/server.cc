#include "server/http/server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/http/bounded_queue.h"
#include "server/http/deadline_stream.h"
#include "server/http/tls_stream.h"

namespace priorityd::http {
namespace {

// Not SO_REUSEPORT, httplib's own choice: a second server would share the port without a word.
void SetSocketOptions(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

Response Answer(const Handlers& handlers, const httplib::Request& request) {
  Response response;
  if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.body = "want GET\n";
    return response;
  }
  const auto handler = handlers.find(request.path);
  if (handler != handlers.end()) {
    return handler->second({request.path, request.get_header_value("Accept")});
  }
  response.status = 404;
  response.body = "want one of\n";
  for (const auto& [path, other] : handlers) absl::StrAppend(&response.body, path, "\n");
  return response;
}

}  // namespace

// httplib reads requests and writes answers; which connections it gets, and for how long, is
// decided here.
class Server::Listener : public httplib::Server {
 public:
  // `tls`: null = none.
  Listener(const ServerOptions& options, std::unique_ptr<TlsContext> tls, http::Handlers handlers)
      : options_(options), tls_(std::move(tls)), handlers_(std::move(handlers)) {
    set_socket_options(SetSocketOptions);
    set_payload_max_length(options.max_request_bytes);
    new_task_queue = [options] { return new BoundedQueue(options.threads, options.max_waiting); };
    // Before httplib's own routing, which matches paths with regular expressions.
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const Response answer = Answer(handlers_, request);
      response.status = answer.status;
      response.set_content(answer.body, answer.content_type.c_str());
      return HandlerResponse::Handled;
    });
  }

  ~Listener() override {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  // The port; negative if it cannot be had.
  int Bind(const std::string& host, int port) {
    if (port == 0) return bind_to_any_port(host);
    return bind_to_port(host, port) ? port : -1;
  }

  void Serve() {
    thread_ = std::thread([this] { listen_after_bind(); });
    // httplib does not stop what does not run yet.
    while (!is_running()) std::this_thread::yield();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const bool served = !BoundedQueue::refusing() && ServeOne(socket);
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return served;
  }

  bool ServeOne(socket_t socket) {
    const DeadlineStream::Limits limits = {.max_bytes = options_.max_request_bytes,
                                           .read_time = options_.read_time,
                                           .write_time = options_.write_time};
    bool closed = false;
    if (tls_ == nullptr) {
      DeadlineStream stream(socket, limits);
      return process_request(stream, /*close_connection=*/true, closed, nullptr);
    }
    TlsStream stream(socket, limits, tls_->Newest());
    return stream.Handshake() &&
           process_request(stream, /*close_connection=*/true, closed, nullptr);
  }

  const ServerOptions options_;
  const std::unique_ptr<TlsContext> tls_;
  const http::Handlers handlers_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Listener> listener, std::string address)
    : listener_(std::move(listener)), address_(std::move(address)) {}

Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Handlers handlers) {
  const size_t colon = options.listen.rfind(':');
  const std::string host = options.listen.substr(0, colon);
  const bool is_v6 = host.size() > 2 && host.front() == '[';
  int port = 0;
  const bool has_port =
      colon != std::string::npos && absl::SimpleAtoi(options.listen.substr(colon + 1), &port);
  std::unique_ptr<TlsContext> tls;
  if (!options.tls.certificate.empty()) {
    auto opened = TlsContext::Open(options.tls);
    if (!opened.ok()) return opened.status();
    tls = *std::move(opened);
  }
  auto listener = std::make_unique<Listener>(options, std::move(tls), std::move(handlers));
  if (has_port) port = listener->Bind(is_v6 ? host.substr(1, host.size() - 2) : host, port);
  if (!has_port || port <= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("--http_listen: got ", options.listen,
                     ", want a host:port of this machine that no other program listens on"));
  }
  listener->Serve();
  return std::unique_ptr<Server>(new Server(std::move(listener), absl::StrCat(host, ":", port)));
}

}  // namespace priorityd::http
