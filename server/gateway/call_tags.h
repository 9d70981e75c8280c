// Tags of answers in requests and calls.
#ifndef PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_
#define PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_

#include <grpcpp/client_context.h>

#include <string>

#include "absl/strings/string_view.h"
#include "server/http/exchange.h"

namespace priorityd::gateway {

// A tag of rpc::kTagMetadata combined with a digest of the request.
std::string FullTag(const http::Request& request, absl::string_view tag);

// The call's tag in the full tag of If-None-Match; empty if there is none, or it belongs to another
// request.
std::string KnownTag(const http::Request& request);

// A value of a call's initial metadata; empty = none.
std::string InitialMetadataOf(const grpc::ClientContext& context, const char* name);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_
