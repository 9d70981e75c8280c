#include <string>

#include "server/identity/auth_file.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::identity {
namespace {

using slurm::Check;

void RunOne(const std::string& text) {
  const absl::StatusOr<AuthSettings> settings = ParseAuthFile({"auth", text});
  slurm::CheckStatus(settings.status());
  if (!settings.ok()) return;
  for (const TokenIssuer& issuer : settings->issuers) {
    Check(!issuer.url.empty() && !issuer.audience.empty() && !issuer.jwks.empty(),
          "an issuer is told in full");
    Check(!issuer.kind.empty() && !issuer.claim.empty(), "its principals have a kind and a name");
  }
  for (const auto& [principal, roles] : settings->roles) {
    Check(principal.find(':') != std::string::npos, "a principal has a kind");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"auth_file", RunOne});

}  // namespace
}  // namespace priorityd::identity
