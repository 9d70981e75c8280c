// The metadata of the call made from an HTTP request.
#ifndef PRIORITYD_SERVER_GATEWAY_RELAY_H_
#define PRIORITYD_SERVER_GATEWAY_RELAY_H_

#include <grpcpp/client_context.h>

#include <optional>

#include "absl/status/status.h"
#include "server/http/exchange.h"
#include "server/identity/authenticator.h"

namespace priorityd::gateway {

// The headers Authorization, X-Slurm-User-Token and traceparent, and rpc::RelayedPeer; no other
// header becomes metadata. `session`: of the page's reader, verified. INVALID_ARGUMENT
// (INVALID_HEADER) for a value not allowed in metadata.
absl::Status Relay(const http::Request& request, const std::optional<identity::Session>& session,
                   grpc::ClientContext* context);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_RELAY_H_
