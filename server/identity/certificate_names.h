// The names in a client's certificate, which was verified elsewhere.
#ifndef PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_
#define PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_

#include <openssl/x509.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::identity {

// The alternative names (DNS, URI, email, IP) in the certificate's order, then the common name.
// Names with a NUL are omitted.
std::vector<std::string> NamesOf(const X509& certificate);

// The same for a certificate in DER. INVALID_ARGUMENT for an invalid one.
absl::StatusOr<std::vector<std::string>> NamesOfDer(absl::string_view der);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_CERTIFICATE_NAMES_H_
