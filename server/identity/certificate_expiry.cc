#include "server/identity/certificate_expiry.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

namespace priorityd::identity {
namespace {

std::optional<absl::Time> ExpiryOf(const X509& certificate) {
  std::tm expiry = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &expiry) != 1) return std::nullopt;
  return absl::FromTM(expiry, absl::UTCTimeZone());
}

}  // namespace

std::optional<absl::Time> FirstExpiry(const std::string& pem_file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(pem_file.c_str(), "re"),
                                                             &std::fclose);
  std::optional<absl::Time> first;
  if (file == nullptr) return first;
  while (true) {
    const std::unique_ptr<X509, void (*)(X509*)> certificate(
        PEM_read_X509(file.get(), nullptr, nullptr, nullptr), &X509_free);
    if (certificate == nullptr) break;
    const std::optional<absl::Time> expiry = ExpiryOf(*certificate);
    if (expiry.has_value()) first = std::min(*expiry, first.value_or(*expiry));
  }
  ERR_clear_error();  // The end of the file is an error to OpenSSL.
  return first;
}

}  // namespace priorityd::identity
