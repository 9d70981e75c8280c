// The names in a client's certificate.
#ifndef PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_
#define PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_

#include <openssl/ssl.h>

#include <string>
#include <vector>

namespace priorityd::http {

// The names in the peer's verified certificate: the alternative names (DNS, URI, email, IP) in its
// order, then the common name. Empty without a certificate. Names with a NUL are omitted.
std::vector<std::string> CertificateNames(const SSL* tls);

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_
