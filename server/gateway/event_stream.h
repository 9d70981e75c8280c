// Relays a server-streaming RPC as server-sent events.
#ifndef PRIORITYD_SERVER_GATEWAY_EVENT_STREAM_H_
#define PRIORITYD_SERVER_GATEWAY_EVENT_STREAM_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>

#include "server/gateway/methods.h"
#include "server/gateway/stub.h"
#include "server/http/exchange.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {

// Sends each answer as `data: JSON`, the next one once the socket has accepted it, so that a slow
// reader gets fewer; at the end sends `event: end`, or `event: error` with google.rpc.Status. A
// call that fails before its first answer gets a plain response. `converters` converts answers to
// JSON, in the lane of the peer's address: a large answer delays neither gRPC's threads nor the
// streams of others. An answer without room in `admission`, or in the connection, ends the call
// with RESOURCE_EXHAUSTED. `converters` and `admission` must outlive the HTTP server. `context`:
// carries the call's metadata; `finish` adds the common headers of responses.
void BeginEvents(Stub* stub, rpc::WorkerPool* converters, rpc::Admission* admission,
                 const Method& method, std::shared_ptr<http::Exchange> exchange,
                 std::unique_ptr<grpc::ClientContext> context, grpc::ByteBuffer request,
                 std::function<void(http::Response*)> finish);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_EVENT_STREAM_H_
