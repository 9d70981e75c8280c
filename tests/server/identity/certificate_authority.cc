#include "tests/server/identity/certificate_authority.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace priorityd::identity {
namespace {

// One self-signed or signed by `signer`.
void Make(const std::string& name, const std::string& files, const std::string& more) {
  const std::string command = absl::StrCat(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=",
      name, "' -keyout ", files, ".key -out ", files, ".pem ", more, " 2>/dev/null");
  if (std::system(command.c_str()) == 0) return;
  ADD_FAILURE() << "failed (Debian package openssl): " << command;
  std::abort();
}

}  // namespace

std::string ReadWholeFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

CertificateAuthority::CertificateAuthority() { Make("Test CA", folder_.path() + "/ca", ""); }

CertificateFiles CertificateAuthority::Issue(const std::string& common_name,
                                             const std::string& alternative_names) const {
  const std::string files = absl::StrCat(folder_.path(), "/", common_name);
  Make(common_name, files,
       absl::StrCat("-CA ", certificate(), " -CAkey ", folder_.path(),
                    "/ca.key -addext subjectAltName=", alternative_names,
                    " -addext basicConstraints=critical,CA:FALSE"));
  return {files + ".pem", files + ".key"};
}

}  // namespace priorityd::identity
