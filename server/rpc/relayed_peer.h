// What the HTTP listener of this process says of whoever called it.
#ifndef PRIORITYD_SERVER_RPC_RELAYED_PEER_H_
#define PRIORITYD_SERVER_RPC_RELAYED_PEER_H_

#include <grpcpp/server_context.h>

#include <optional>
#include <string>
#include <vector>

namespace priorityd::rpc {

// The metadata that says it, with a secret that is drawn when the process starts and never leaves
// it: nobody outside can say it of herself.
inline constexpr char kRelayMetadata[] = "priorityd-relayed-bin";

struct RelayedPeer {
  std::string address;  // As gRPC names a peer.
  std::vector<std::string> certificate_names;

  // For kRelayMetadata.
  std::string ToMetadata() const;
};

// Nothing where a peer calls by gRPC, whatever its metadata say.
std::optional<RelayedPeer> RelayedPeerOf(const grpc::CallbackServerContext& context);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_RELAYED_PEER_H_
