// What the site's proxy in front of gRPC says of its clients.
#ifndef PRIORITYD_SERVER_RPC_SITE_PROXY_H_
#define PRIORITYD_SERVER_RPC_SITE_PROXY_H_

#include <grpcpp/server_context.h>

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "server/identity/shared_secret.h"
#include "server/rpc/relayed_peer.h"

namespace priorityd::rpc {

// The metadata that the proxy adds to each call, after it has deleted what a client sent under
// these names: the secret; `ADDRESS PORT`; the certificate that it has verified, if there is one,
// as base64 of its DER. deploy/haproxy/haproxy.cfg sets them.
inline constexpr char kProxySecretMetadata[] = "priorityd-proxy-secret";
inline constexpr char kProxyPeerMetadata[] = "priorityd-proxy-peer";
inline constexpr char kProxyCertificateMetadata[] = "priorityd-proxy-certificate";

// Thread-safe.
class SiteProxy {
 public:
  // There is none.
  SiteProxy() = default;
  explicit SiteProxy(identity::SharedSecret secret) : secret_(std::move(secret)) {}

  // Whether there is one. Then nobody has a role for a Unix socket: it may be the proxy's.
  bool is_there() const { return secret_.has_value(); }

  // The client of the proxy that makes the call; nothing where the call has not come through it,
  // whatever else its metadata say. UNAUTHENTICATED (PROXY_SECRET) where the secret is not that of
  // this server, or this server has none; INTERNAL where the proxy says what cannot be read.
  absl::StatusOr<std::optional<RelayedPeer>> ClientOf(
      const grpc::CallbackServerContext& context) const;

 private:
  std::optional<identity::SharedSecret> secret_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SITE_PROXY_H_
