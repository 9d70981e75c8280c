// The API as JSON over HTTP: each RPC by its path, through the same server that gRPC reaches.
#ifndef PRIORITYD_SERVER_GATEWAY_GATEWAY_H_
#define PRIORITYD_SERVER_GATEWAY_GATEWAY_H_

#include <grpcpp/channel.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/gateway/memo.h"
#include "server/gateway/methods.h"
#include "server/gateway/origins.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/rpc/boundary.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::gateway {

// Turns requests over HTTP into calls of an in-process channel, so that identity, rights, limits
// and counts are those of gRPC: what proves who calls goes along, and who is at the other end of
// the connection is said by rpc::RelayedPeer. Thread-safe.
class Gateway {
 public:
  struct Options {
    // Of the server in this process.
    std::shared_ptr<grpc::Channel> channel;
    // Of that server; must outlive the gateway.
    rpc::Boundary* boundary;
    Origins::Options origins;
    // Of these origins pages may show a user's card in a frame; see AddWebPage.
    std::vector<std::string> frame_ancestors = {};
  };
  explicit Gateway(Options options);
  // The HTTP server must be gone.
  ~Gateway() = default;

  // The API under /v1/, /openapi.json, what slurmrestd has under /slurm/ and /slurmdb/, and the
  // page. The gateway must outlive them.
  void AddRoutes(http::Routes* routes);

  // Many dashboards ask for the same: what was answered last is not made text again.
  struct Texts {
    Memo json{4 << 20};
    Memo packed{4 << 20};
  };

 private:
  // Who proves nothing sends no large body.
  std::optional<http::Response> CheckLarge(const http::Request& head);
  void Serve(const std::shared_ptr<http::Exchange>& exchange);
  void Call(const std::shared_ptr<http::Exchange>& exchange, const Method& method);

  const Origins origins_;
  const std::vector<std::string> frame_ancestors_;
  rpc::Boundary& boundary_;
  Stub stub_;
  Texts texts_;
  // Makes JSON of answers, so that no thread of gRPC does.
  rpc::WorkerPool answering_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_GATEWAY_H_
