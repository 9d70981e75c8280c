// The gRPC server: services, health, reflection, limits, drain.
#ifndef PRIORITYD_SERVER_RPC_SERVER_H_
#define PRIORITYD_SERVER_RPC_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/server.h>
#include <grpcpp/support/config.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/rpc/admission.h"
#include "server/rpc/server_credentials.h"
#include "server/rpc/unix_socket.h"

namespace priorityd::rpc {

struct ServerOptions {
  // HOST:PORT, where port 0 is any free one, or unix:PATH; one at least.
  std::vector<std::string> listen = {"127.0.0.1:7411"};
  SocketAccess socket_access;        // Of each socket.
  TlsFiles tls;                      // For HOST:PORT; what a Unix socket carries stays on the host.
  int max_message_bytes = 64 << 20;  // Of a request or an answer.
  // Of what is being sent and received. Several times the largest message.
  size_t transport_bytes = size_t{256} << 20;
  // How long a new peer may take to say who it is, by TLS and HTTP/2, before it is dropped.
  absl::Duration handshake_timeout = absl::Seconds(10);
  // A peer who says nothing for so long is asked for a sign of life, and is dropped when none
  // comes for `keepalive_timeout`.
  absl::Duration keepalive_time = absl::Seconds(30);
  absl::Duration keepalive_timeout = absl::Seconds(20);
  // How long a connection may have no call before it is told to go away.
  absl::Duration connection_idle = absl::Minutes(30);
  // What calls are at work; not null.
  Admission* admission = nullptr;
};

// Calls at work on one connection; those beyond it wait at the client.
inline constexpr int kMaxCallsOfConnection = 1000;

// What of a call's message gRPC takes before somebody reads it: before its caller has proved who it
// is.
inline constexpr int kBytesBeforeRead = 64 << 10;

class Server {
 public:
  // What a watch has to end by itself.
  static constexpr absl::Duration kFarewell = absl::Seconds(1);

  // Listens and serves until drained. FAILED_PRECONDITION if an address cannot
  // be had, or the files of TLS cannot be used. `services` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const std::vector<grpc::Service*>& services);
  // Drains without patience.
  ~Server();

  // host:port, with the port that was chosen, or unix:PATH: of the first and of all.
  const std::string& address() const { return addresses_.front(); }
  const std::vector<std::string>& addresses() const { return addresses_; }

  // What health checks of `service`, a name of our own, answer; "" = of the whole server and of
  // its gRPC services, from the start SERVING. Not after Drain.
  void SetServing(const std::string& service, bool serving);

  // Calls this server without a socket: for what this process serves in another way. Messages have
  // the bounds of the server's. Not after Drain.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Sets health checks to NOT_SERVING, takes no more calls, and waits for those at
  // work; after `patience` they are cancelled. Who only listens (a watch of health, or a
  // watch of the ranking that is not read) is cancelled after kFarewell, or when the last call is
  // done. Later calls do nothing.
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

#endif  // PRIORITYD_SERVER_RPC_SERVER_H_
