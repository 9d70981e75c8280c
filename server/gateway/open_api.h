// The description of the API over HTTP.
#ifndef PRIORITYD_SERVER_GATEWAY_OPEN_API_H_
#define PRIORITYD_SERVER_GATEWAY_OPEN_API_H_

#include <string>

namespace priorityd::gateway {

// OpenAPI 3.0 in JSON, made from the descriptors with the comments of proto/ once. Thread-safe.
const std::string& OpenApi();

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_OPEN_API_H_
