// Certificates of the test's own, made by openssl.
#ifndef PRIORITYD_TESTS_SERVER_IDENTITY_CERTIFICATE_AUTHORITY_H_
#define PRIORITYD_TESTS_SERVER_IDENTITY_CERTIFICATE_AUTHORITY_H_

#include <string>

#include "tests/temporary_folder.h"

namespace priorityd::identity {

// Two PEM files.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};

std::string ReadWholeFile(const std::string& path);

class CertificateAuthority {
 public:
  CertificateAuthority();

  // Its own certificate.
  std::string certificate() const { return folder_.path() + "/ca.pem"; }

  // A new one with this common name; `alternative_names` as openssl takes them, such as
  // `DNS:localhost,IP:127.0.0.1`.
  CertificateFiles Issue(const std::string& common_name,
                         const std::string& alternative_names) const;

 private:
  const TemporaryFolder folder_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_TESTS_SERVER_IDENTITY_CERTIFICATE_AUTHORITY_H_
