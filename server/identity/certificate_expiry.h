// The expiry of certificates.
#ifndef PRIORITYD_SERVER_IDENTITY_CERTIFICATE_EXPIRY_H_
#define PRIORITYD_SERVER_IDENTITY_CERTIFICATE_EXPIRY_H_

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace priorityd::identity {

// The end of the first certificate of a PEM file to expire; nullopt without a certificate or if the
// file cannot be read.
std::optional<absl::Time> FirstExpiry(const std::string& pem_file);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_CERTIFICATE_EXPIRY_H_
