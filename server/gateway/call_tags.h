// Tags of answers, as requests and calls carry them.
#ifndef PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_
#define PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_

#include <grpcpp/client_context.h>

#include <string>

#include "absl/strings/string_view.h"
#include "server/http/exchange.h"

namespace priorityd::gateway {

// A tag of rpc::kTagMetadata, with what the request asks for.
std::string FullTag(const http::Request& request, absl::string_view tag);

// Of the full tag in If-None-Match the tag; empty where there is none, or it is of another request.
std::string KnownTag(const http::Request& request);

// A value of a call's initial metadata; empty = none.
std::string Said(const grpc::ClientContext& context, const char* name);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_CALL_TAGS_H_
