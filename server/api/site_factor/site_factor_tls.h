// The TLS files for connections to a site's SiteFactorService.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_TLS_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_TLS_H_

#include <string>

#include "absl/status/status.h"

namespace priorityd::rpc {

// TLS to the services. PEM files, read again for each connection.
struct SiteFactorTls {
  std::string ca;           // The trusted CAs. Empty = no TLS.
  std::string certificate;  // The client certificate for services that request one, and its key;
                            // both or none.
  std::string key;
};

// FAILED_PRECONDITION if a file cannot be read or contains no PEM of its kind.
absl::Status CheckSiteFactorTls(const SiteFactorTls& tls);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_TLS_H_
