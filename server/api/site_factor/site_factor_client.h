// Calls a site's SiteFactorService over gRPC.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_

#include <memory>
#include <string>

#include "server/api/site_factor/site_factor_tls.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::rpc {

// A client of the service, which connects at the first call. If the service is not allowed or a TLS
// file is invalid, one whose calls fail with the reason.
std::unique_ptr<site_factor::SiteFactorService> ConnectSiteFactorService(
    const std::string& address, const SiteFactorTls& tls,
    const site_factor::AllowedServices& allowed);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_
