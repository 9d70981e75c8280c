// The names in a client's certificate.
#ifndef PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_
#define PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_

#include <openssl/ssl.h>

#include <string>
#include <vector>

namespace priorityd::http {

// Of the peer's certificate, once it is verified: the alternative names (DNS, URI, e-mail, IP) as
// it has them, then the common name. Empty where the peer showed none. A name with a NUL is left
// out.
std::vector<std::string> CertificateNames(const SSL* tls);

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CERTIFICATE_NAMES_H_
