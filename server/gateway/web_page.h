// The web page, from assets in the binary.
#ifndef PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
#define PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_

#include <string>
#include <vector>

#include "server/http/exchange.h"

namespace priorityd::gateway {

// Serves `/`, `/card` and their files. They load nothing from other sites and cannot be framed,
// except the read-only card by pages of `frame_ancestors`, such as `https://portal.example.org`.
// Their addresses are relative, so that a proxy can serve them under any prefix.
void AddWebPage(const std::vector<std::string>& frame_ancestors, http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
