// The peer of an HTTP request, relayed by this process's HTTP listener.
#ifndef PRIORITYD_SERVER_TRANSPORT_RELAYED_PEER_H_
#define PRIORITYD_SERVER_TRANSPORT_RELAYED_PEER_H_

#include <grpcpp/server_context.h>

#include <optional>
#include <string>
#include <vector>

#include "server/identity/authenticator.h"

namespace priorityd::rpc {

// The metadata with the peer and a secret that is drawn at start and never leaves the process, so
// that no client can forge it.
inline constexpr char kRelayMetadata[] = "priorityd-relayed-bin";

struct RelayedPeer {
  std::string address;  // In gRPC's form of a peer.
  std::vector<std::string> certificate_names;
  // Of the page's reader, without control characters; nullopt = none.
  std::optional<identity::Session> session = std::nullopt;

  // For kRelayMetadata.
  std::string ToMetadata() const;
};

// nullopt if a peer calls by gRPC directly, whatever its metadata contain.
std::optional<RelayedPeer> RelayedPeerOf(const grpc::CallbackServerContext& context);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_RELAYED_PEER_H_
