// Converts the result of a call to an HTTP response.
#ifndef PRIORITYD_SERVER_GATEWAY_ANSWERS_H_
#define PRIORITYD_SERVER_GATEWAY_ANSWERS_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <string>

#include "absl/strings/string_view.h"
#include "server/gateway/memo.h"
#include "server/http/exchange.h"

namespace priorityd::gateway {

inline constexpr char kJson[] = "application/json";
// Shorter bodies are not compressed.
inline constexpr size_t kLeastToCompress = 1024;

// google.rpc.Status with the call's details, as JSON.
std::string StatusJson(const grpc::Status& status);

// The same with the corresponding HTTP status, Retry-After for a RetryInfo, and WWW-Authenticate if
// authentication is required.
http::Response ErrorResponse(const grpc::Status& status);

// The same for a call that has ended. Where its cluster has moved, the headers priorityd-moved-to
// and priorityd-moved-cluster name the cell and the cluster, for the load balancer (docs/scale.md).
http::Response FailureResponse(const grpc::ClientContext& context, const grpc::Status& status);

http::Response JsonResponse(std::string json);

// Compresses the body with gzip if the request's Accept-Encoding allows it. `packed`: a cache of
// results of Gzip; may be null.
http::Response Encoded(const http::Request& request, http::Response response,
                       Memo* packed = nullptr);
std::string Gzip(absl::string_view text);
// Whether Accept-Encoding contains gzip or `*` with a non-zero weight.
bool AcceptsGzip(const http::Request& request);

// 304 if If-None-Match contains the tag.
http::Response Tagged(const http::Request& request, absl::string_view tag, http::Response response);
http::Response NotModified(absl::string_view tag);

// FNV-1a in hexadecimal digits.
std::string DigestOf(absl::string_view text);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_ANSWERS_H_
