#include "server/http/server.h"

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/http/connections.h"
#include "server/http/page_thread.h"
#include "server/http/peer_owner.h"
#include "server/http/session.h"
#include "server/identity/peer_host.h"

namespace priorityd::http {
namespace {

using asio::ip::tcp;

// With TLS, uses the certificates at the start of the connection.
class TlsSocket : public asio::ssl::stream<tcp::socket> {
 public:
  TlsSocket(tcp::socket socket, std::shared_ptr<SSL_CTX> files)
      : TlsSocket(std::move(socket), ContextOf(*files)) {}

 private:
  TlsSocket(tcp::socket socket, std::shared_ptr<asio::ssl::context> context)
      : asio::ssl::stream<tcp::socket>(std::move(socket), *context), context_(std::move(context)) {}

  static std::shared_ptr<asio::ssl::context> ContextOf(SSL_CTX& files) {
    SSL_CTX_up_ref(&files);
    return std::make_shared<asio::ssl::context>(&files);
  }

  std::shared_ptr<asio::ssl::context> context_;
};

struct HostPort {
  std::string host;
  std::string port;
};

HostPort Split(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return {listen, ""};
  std::string host = listen.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return {host, listen.substr(colon + 1)};
}

// The host, and of this host the user: users of one host share its addresses.
quotas::Holder HolderOf(const tcp::socket::lowest_layer_type& socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  const tcp::endpoint own = socket.local_endpoint(error);
  const std::optional<uid_t> owner = OwnerOf(peer, own);
  const std::string host = identity::HostOfAddress(peer.address().to_string());
  return {owner.has_value() ? absl::StrCat(host, " (uid ", *owner, ")") : host};
}

constexpr absl::Duration kWithoutFiles = absl::Milliseconds(100);

}  // namespace

class Server::Listener {
 public:
  // `tls`: null = none.
  Listener(const ServerOptions& options, std::unique_ptr<TlsContext> tls, Routes routes)
      : all_(options, std::move(routes)),
        tls_(std::move(tls)),
        workers_(static_cast<size_t>(options.threads)),
        acceptor_(io_),
        pause_(io_) {}

  ~Listener() {
    asio::post(io_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
    });
    if (thread_.joinable()) {
      all_.StopAll();
      all_.AwaitNone();
    }
    workers_.join();
    pages_.Join();
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  // The port; negative if it cannot be bound.
  int Bind(const HostPort& where) {
    error_code error;
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(where.host, where.port, tcp::resolver::passive, error);
    if (error || found.empty()) return -1;
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.open(endpoint.protocol(), error);
    // Not SO_REUSEPORT: a second server would silently share the port.
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error ? -1 : acceptor_.local_endpoint(error).port();
  }

  std::vector<quotas::Usage> Usages() const { return all_.Usages(); }

  void Serve() {
    Accept();
    thread_ = std::thread([this] { io_.run(); });
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (error) return AcceptLater();
      Take(std::move(socket));
      Accept();
    });
  }

  // No file descriptor is left.
  void AcceptLater() {
    pause_.expires_after(absl::ToChronoNanoseconds(kWithoutFiles));
    pause_.async_wait([this](error_code error) {
      if (!error && acceptor_.is_open()) Accept();
    });
  }

  void Take(tcp::socket socket) {
    if (tls_ == nullptr) return Begin<tcp::socket>(std::move(socket));
    Begin<TlsSocket>(TlsSocket(std::move(socket), tls_->Newest()));
  }

  template <typename Socket>
  void Begin(Socket socket) {
    const quotas::Holder peer = HolderOf(socket.lowest_layer());
    const auto session =
        std::make_shared<Session<Socket>>(all_, io_, workers_, pages_, std::move(socket), peer);
    if (all_.Enter(session, peer)) session->Start();
  }

  Connections all_;
  const std::unique_ptr<TlsContext> tls_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> keeps_running_ =
      asio::make_work_guard(io_);
  asio::thread_pool workers_;
  PageThread pages_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Listener> listener, std::string address)
    : listener_(std::move(listener)), address_(std::move(address)) {}

Server::~Server() = default;

std::vector<quotas::Usage> Server::Usages() const { return listener_->Usages(); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, Routes routes) {
  const HostPort where = Split(options.listen);
  int port = 0;
  const bool has_port = absl::SimpleAtoi(where.port, &port);
  std::unique_ptr<TlsContext> tls;
  if (!options.tls.certificate.empty()) {
    auto opened = TlsContext::Open(options.tls);
    if (!opened.ok()) return opened.status();
    tls = *std::move(opened);
  }
  auto listener = std::make_unique<Listener>(options, std::move(tls), std::move(routes));
  if (has_port) port = listener->Bind(where);
  if (!has_port || port <= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("--http_listen: got ", options.listen,
                     ", want a host:port of this machine that no other program listens on"));
  }
  listener->Serve();
  const std::string host = options.listen.substr(0, options.listen.rfind(':'));
  return std::unique_ptr<Server>(new Server(std::move(listener), absl::StrCat(host, ":", port)));
}

}  // namespace priorityd::http
