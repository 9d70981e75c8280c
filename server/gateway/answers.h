// What a call answered, as a response over HTTP.
#ifndef PRIORITYD_SERVER_GATEWAY_ANSWERS_H_
#define PRIORITYD_SERVER_GATEWAY_ANSWERS_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/strings/string_view.h"
#include "server/gateway/memo.h"
#include "server/http/exchange.h"

namespace priorityd::gateway {

inline constexpr char kJson[] = "application/json";
// Shorter bodies gain nothing by compression.
inline constexpr size_t kLeastToCompress = 1024;

// google.rpc.Status with the details that the call carries, as JSON.
std::string StatusJson(const grpc::Status& status);

// The same with the status that HTTP has for it, Retry-After for a RetryInfo, and WWW-Authenticate
// where a proof is wanted.
http::Response ErrorResponse(const grpc::Status& status);

http::Response JsonResponse(std::string json);

// The body as the request's Accept-Encoding lets it be: gzip, or as it is. `packed` remembers
// results of Gzip; may be null.
http::Response Encoded(const http::Request& request, http::Response response,
                       Memo* packed = nullptr);
std::string Gzip(absl::string_view text);
// Whether Accept-Encoding has gzip, or `*`, with a weight that is not 0.
bool AcceptsGzip(const http::Request& request);

// 304 where If-None-Match has the tag.
http::Response Tagged(const http::Request& request, absl::string_view tag, http::Response response);
http::Response NotModified(absl::string_view tag);

// FNV-1a in hexadecimal digits.
std::string DigestOf(absl::string_view text);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_ANSWERS_H_
