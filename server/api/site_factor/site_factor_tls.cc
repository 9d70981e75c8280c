#include "server/api/site_factor/site_factor_tls.h"

#include "server/transport/server_credentials.h"

namespace priorityd::rpc {

absl::Status CheckSiteFactorTls(const SiteFactorTls& tls) {
  if (tls.ca.empty()) return absl::OkStatus();
  if (absl::Status s = CheckPem("--site_factor_ca", tls.ca, "CERTIFICATE"); !s.ok()) return s;
  if (tls.certificate.empty()) return absl::OkStatus();
  if (absl::Status s = CheckPem("--site_factor_cert", tls.certificate, "CERTIFICATE"); !s.ok()) {
    return s;
  }
  return CheckPem("--site_factor_key", tls.key, "PRIVATE KEY");
}

}  // namespace priorityd::rpc
