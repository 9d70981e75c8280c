#include "tests/soak/access.h"

#include "absl/strings/str_cat.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/server/identity/signing_key.h"

namespace priorityd::soak {
namespace {

constexpr int kNumbered = 3;

std::string Secret() { return std::string(32, 'k'); }

std::string Principal(const std::string& user, const std::string& bindings) {
  return absl::StrCat("Principal=user:", user, " ", bindings, "\n");
}

std::string Principals() {
  std::string lines = absl::StrCat(
      Principal(kAdministrator, "Role=administrator"), Principal(kDashboard, "Role=dashboard"),
      Principal(kHostileDashboard, "Role=dashboard"),
      Principal(kUnboundCollector, "Role=collector"),
      Principal(kHostileCollector, absl::StrCat("Role=collector Source=", kHostileSource)),
      Principal(kHostileFrontend, absl::StrCat("Role=frontend Source=", kHostileSource)));
  for (int i = 0; i < kNumbered; ++i) {
    const std::string sender = absl::StrCat(kSender, i);
    absl::StrAppend(&lines, Principal(sender, "Role=collector Source=" + sender),
                    Principal(absl::StrCat(kFrontend, i),
                              absl::StrCat("Role=frontend Source=", kFrontendSource)));
  }
  return lines;
}

}  // namespace

Access::Access() {
  ReplaceFile(folder_.path() + "/jwt.key", Secret());
  ReplaceFile(auth_file(), absl::StrCat("AuthType=auth/none\nAuthAltTypes=auth/jwt\n",
                                        "AuthAltParameters=jwt_key=", folder_.path(), "/jwt.key\n",
                                        Principals()));
}

std::string Access::ProofOf(const std::string& user) const {
  // Clocks are stepped by more than a year.
  return "Bearer " + identity::SigningKey::OfSecret(Secret()).Token(
                         absl::StrCat(R"({"sun":")", user, R"(","exp":10000000000})"));
}

client::Authorize Access::As(const std::string& user) const {
  return [proof = ProofOf(user)] { return proof; };
}

}  // namespace priorityd::soak
