// The gRPC server: services, health, reflection, limits, drain.
#ifndef PRIORITYD_SERVER_TRANSPORT_SERVER_H_
#define PRIORITYD_SERVER_TRANSPORT_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/server.h>
#include <grpcpp/support/config.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/transport/admission.h"
#include "server/transport/server_credentials.h"
#include "server/transport/unix_socket.h"

namespace priorityd::rpc {

struct ServerOptions {
  // HOST:PORT, where port 0 is any free port, or unix:PATH; at least one.
  std::vector<std::string> listen = {"127.0.0.1:7411"};
  SocketAccess socket_access;        // Of each socket.
  TlsFiles tls;                      // For HOST:PORT only; Unix sockets are local to the host.
  int max_message_bytes = 64 << 20;  // Of a request or an answer.
  // Memory for messages in transport. Several times the largest message.
  size_t transport_bytes = size_t{256} << 20;
  // Time limit for a new peer's TLS and HTTP/2 handshakes.
  absl::Duration handshake_timeout = absl::Seconds(10);
  // A peer silent for this long gets a ping, and is dropped without an answer within
  // `keepalive_timeout`.
  absl::Duration keepalive_time = absl::Seconds(30);
  absl::Duration keepalive_timeout = absl::Seconds(20);
  // A connection without calls for this long gets a GOAWAY.
  absl::Duration connection_idle = absl::Minutes(30);
  // Counts the running calls; not null.
  Admission* admission = nullptr;
};

// Maximum running calls per connection; further ones wait at the client.
inline constexpr int kMaxCallsOfConnection = 1000;

// The part of a call's message that gRPC accepts before the first read, that is before the caller
// is authenticated.
inline constexpr int kBytesBeforeRead = 64 << 10;

class Server {
 public:
  // Time for watches to end by themselves.
  static constexpr absl::Duration kFarewell = absl::Seconds(1);

  // Listens and serves until drained. FAILED_PRECONDITION if an address cannot be bound, or a TLS
  // file is invalid. `services` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const std::vector<grpc::Service*>& services);
  // Drains without patience.
  ~Server();

  // host:port, with the chosen port, or unix:PATH: the first address, and all of them.
  const std::string& address() const { return addresses_.front(); }
  const std::vector<std::string>& addresses() const { return addresses_; }

  // Sets the result of health checks of `service`, one of our names; "" = the whole server and its
  // gRPC services, initially SERVING. Not after Drain.
  void SetServing(const std::string& service, bool serving);

  // A channel to this server without a socket, for this process's HTTP service. Messages have the
  // server's bounds. Not after Drain.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Sets health checks to NOT_SERVING, refuses new calls, and waits for running ones, which are
  // cancelled after `patience`. Pure listeners (a health watch, or an unread watch of the ranking)
  // are cancelled after kFarewell, or when the last call is done. Later calls do nothing.
  void Drain(absl::Duration patience);

 private:
  Server(std::unique_ptr<grpc::Server> server, std::unique_ptr<grpc::Service> reflection,
         std::vector<std::string> addresses, const ServerOptions& options);

  const std::unique_ptr<grpc::Service> reflection_;
  std::unique_ptr<grpc::Server> server_;
  const std::vector<std::string> addresses_;
  const int max_message_bytes_;
  Admission* const admission_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_SERVER_H_
