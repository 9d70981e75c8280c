// The metadata of the call made from an HTTP request.
#ifndef PRIORITYD_SERVER_GATEWAY_RELAY_H_
#define PRIORITYD_SERVER_GATEWAY_RELAY_H_

#include <grpcpp/client_context.h>

#include "absl/status/status.h"
#include "server/http/exchange.h"

namespace priorityd::gateway {

// The headers Authorization, X-Slurm-User-Token and traceparent, and rpc::RelayedPeer; no other
// header becomes metadata. INVALID_ARGUMENT (INVALID_HEADER) for a value not allowed in metadata.
absl::Status Relay(const http::Request& request, grpc::ClientContext* context);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_RELAY_H_
