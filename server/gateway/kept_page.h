// A page of constant content.
#ifndef PRIORITYD_SERVER_GATEWAY_KEPT_PAGE_H_
#define PRIORITYD_SERVER_GATEWAY_KEPT_PAGE_H_

#include "server/http/exchange.h"

namespace priorityd::gateway {

// Serves `page` with a tag, and compressed to clients that accept it. The content is compressed
// here, once for all requests.
http::Page KeptPage(http::Response page);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_KEPT_PAGE_H_
