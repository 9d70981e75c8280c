// Clients of the site's proxy in front of gRPC.
#ifndef PRIORITYD_SERVER_TRANSPORT_SITE_PROXY_H_
#define PRIORITYD_SERVER_TRANSPORT_SITE_PROXY_H_

#include <grpcpp/server_context.h>

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "server/identity/shared_secret.h"
#include "server/transport/relayed_peer.h"

namespace priorityd::rpc {

// The metadata that the proxy adds to each call after deleting the client's under these names: the
// secret; `ADDRESS PORT`; the verified client certificate, if any, as base64 of its DER.
// deploy/haproxy/haproxy.cfg sets them.
inline constexpr char kProxySecretMetadata[] = "priorityd-proxy-secret";
inline constexpr char kProxyPeerMetadata[] = "priorityd-proxy-peer";
inline constexpr char kProxyCertificateMetadata[] = "priorityd-proxy-certificate";

// Thread-safe.
class SiteProxy {
 public:
  // No proxy.
  SiteProxy() = default;
  explicit SiteProxy(identity::SharedSecret secret) : secret_(std::move(secret)) {}

  // Whether there is a proxy. Then callers get no role from a Unix socket, which may be the
  // proxy's.
  bool is_there() const { return secret_.has_value(); }

  // The proxy's client that makes the call; nullopt for a call that did not come through the proxy,
  // whatever its other metadata. UNAUTHENTICATED (PROXY_SECRET) if the secret is not this server's,
  // or this server has none; INTERNAL if the proxy's metadata are malformed.
  absl::StatusOr<std::optional<RelayedPeer>> ClientOf(
      const grpc::CallbackServerContext& context) const;

 private:
  std::optional<identity::SharedSecret> secret_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_SITE_PROXY_H_
