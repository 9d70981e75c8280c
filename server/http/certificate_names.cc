#include "server/http/certificate_names.h"

#include <memory>

#include "server/identity/certificate_names.h"

namespace priorityd::http {

std::vector<std::string> CertificateNames(const SSL* tls) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get_peer_certificate(tls),
                                                                X509_free);
  if (certificate == nullptr || SSL_get_verify_result(tls) != X509_V_OK) return {};
  return identity::NamesOf(*certificate);
}

}  // namespace priorityd::http
