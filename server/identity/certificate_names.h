// The names in a client's certificate, which somebody else has verified.
#ifndef PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_
#define PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_

#include <openssl/x509.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::identity {

// The alternative names (DNS, URI, e-mail, IP) as the certificate has them, then the common name. A
// name with a NUL is left out.
std::vector<std::string> NamesOf(const X509& certificate);

// The same of a certificate in DER. INVALID_ARGUMENT where it is none.
absl::StatusOr<std::vector<std::string>> NamesOfDer(absl::string_view der);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_
