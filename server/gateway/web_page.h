// The page that people look at, from assets inside the binary.
#ifndef PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
#define PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_

#include "server/http/exchange.h"

namespace priorityd::gateway {

// `/` and the files that it names. The page may load nothing from elsewhere, and nobody may frame
// it; its addresses are relative, so that a proxy may put it under any prefix.
void AddWebPage(http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_WEB_PAGE_H_
