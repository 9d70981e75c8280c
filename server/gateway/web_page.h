// The page that people look at, from assets inside the binary.
#ifndef PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
#define PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_

#include <string>
#include <vector>

#include "server/http/exchange.h"

namespace priorityd::gateway {

// `/`, `/card` and the files that they name. They may load nothing from elsewhere, and nobody may
// frame them; but pages of `frame_ancestors`, as `https://portal.example.org`, may frame the card,
// which only shows. Their addresses are relative, so that a proxy may put them under any prefix.
void AddWebPage(const std::vector<std::string>& frame_ancestors, http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
