#include "server/identity/certificate_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/server/identity/certificate_authority.h"

namespace priorityd::identity {
namespace {

using ::testing::ElementsAre;

TEST(CertificateNamesTest, ACertificateInDerHasItsAlternativeNamesAndItsCommonName) {
  const CertificateAuthority authority;
  const std::string pem =
      authority.Issue("collector", "DNS:c.example.org,IP:10.0.0.1,URI:spiffe://s/c").certificate;
  const std::string der = pem + ".der";
  ASSERT_EQ(std::system(("openssl x509 -outform der -in " + pem + " -out " + der).c_str()), 0);
  const std::string bytes = ReadWholeFile(der);
  const auto names = NamesOfDer(bytes);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("c.example.org", "10.0.0.1", "spiffe://s/c", "collector"));
  for (const std::string& other : {std::string(), bytes + "x", bytes.substr(0, bytes.size() - 1),
                                   std::string(1000, '\x30'), ReadWholeFile(pem)}) {
    EXPECT_EQ(NamesOfDer(other).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace priorityd::identity
