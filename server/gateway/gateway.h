// The API as JSON over HTTP: each RPC by its path, through the same server as gRPC.
#ifndef PRIORITYD_SERVER_GATEWAY_GATEWAY_H_
#define PRIORITYD_SERVER_GATEWAY_GATEWAY_H_

#include <grpcpp/channel.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/gateway/memo.h"
#include "server/gateway/methods.h"
#include "server/gateway/origins.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/identity/authenticator.h"
#include "server/sign_in/sign_in.h"
#include "server/transport/boundary.h"
#include "server/transport/pools.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {

// Converts HTTP requests to calls of an in-process channel, so that identity, rights, limits and
// counts are the same as with gRPC: credentials are passed on, and rpc::RelayedPeer identifies the
// peer of the connection. Thread-safe.
class Gateway {
 public:
  struct Options {
    // The channel to the server in this process.
    std::shared_ptr<grpc::Channel> channel;
    // The server's boundary and pools; must outlive the gateway.
    rpc::Boundary* boundary;
    rpc::Pools* pools;
    Origins::Options origins;
    // Origins whose pages may show a user's card in a frame; see AddWebPage.
    std::vector<std::string> frame_ancestors = {};
    // Sign-in of readers of the page; nullptr = by tokens and certificates only.
    std::unique_ptr<sign_in::SignIn> sign_in = nullptr;
  };
  explicit Gateway(Options options);
  // REQUIRES: the HTTP server has been destroyed.
  ~Gateway();

  // Adds the API under /v1/, /openapi.json, slurmrestd's paths under /slurm/ and /slurmdb/, the
  // sign-in under /signin/, and the page. The gateway must outlive the routes.
  void AddRoutes(http::Routes* routes);

  // Caches the JSON of recent answers, since many dashboards send the same requests.
  struct Texts {
    Memo json{4 << 20};
    Memo packed{4 << 20};
  };

 private:
  // Refuses large bodies of unauthenticated clients.
  std::optional<http::Response> CheckLarge(const http::Request& head);
  void Serve(const std::shared_ptr<http::Exchange>& exchange);
  using Session = std::optional<identity::Session>;
  // PERMISSION_DENIED (ORIGIN_REFUSED).
  absl::StatusOr<Session> SessionIn(const http::Request& request) const;
  void Call(const std::shared_ptr<http::Exchange>& exchange, const Method& method,
            const Session& session);

  const Origins origins_;
  const std::vector<std::string> frame_ancestors_;
  rpc::Boundary& boundary_;
  rpc::Pools& pools_;
  Stub stub_;
  Texts texts_;
  const std::unique_ptr<sign_in::SignIn> sign_in_;
  // For requests that wait for the provider of sign-ins; null without sign_in_. Destroyed first.
  std::unique_ptr<rpc::WorkerPool> signing_in_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_GATEWAY_H_
