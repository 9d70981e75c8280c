// The gRPC server: services, health, reflection, limits, drain.
#ifndef PRIORITYD_SERVER_RPC_SERVER_H_
#define PRIORITYD_SERVER_RPC_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/support/config.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::rpc {

struct ServerOptions {
  std::string listen = "127.0.0.1:7411";  // Port 0 = any free one.
  int max_message_bytes = 256 << 20;      // Of a request or an answer.
};

class Server {
 public:
  // Listens and serves until drained. FAILED_PRECONDITION if the address cannot
  // be had. `services` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       const std::vector<grpc::Service*>& services);
  // Drains without patience.
  ~Server();

  // host:port, with the port that was chosen.
  const std::string& address() const { return address_; }

  // What health checks answer, from the start SERVING. Not after Drain.
  void SetServing(bool serving);

  // The same for those that ask about `part`, a name of our own.
  void SetServing(const std::string& part, bool serving);

  // Sets health checks to NOT_SERVING, takes no more calls, and waits for those at
  // work; after `patience` they are cancelled. Later calls do nothing.
  void Drain(absl::Duration patience);

 private:
  Server(std::unique_ptr<grpc::Server> server, std::string address);

  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SERVER_H_
