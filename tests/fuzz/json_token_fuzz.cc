// Tokens, as they come and of lines that are the header, the content and the signature; and the
// keys of an issuer.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/identity/json_token.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::identity {
namespace {

using slurm::Check;

constexpr char kSecret[] = "0123456789abcdef0123456789abcdef";
// What was signed with it: corpus/json_token/signed without its signature.
constexpr char kSigned[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJleHAiOjE5MDAwMDAwMDAsImlhdCI6MTcwMDAwMDAwMCwic3VuIjoiYW5uIn0";

void RunToken(const std::string& token) {
  const absl::StatusOr<TokenContent> content = ReadToken(token);
  if (!content.ok()) {
    Check(!content.status().message().empty(), "a refusal says why");
    Check(slurm::IsValidUtf8(content.status().message()), "a refusal can be sent");
    return;
  }
  Check(token.size() <= kMaxTokenBytes, "what is long is not read");
  for (const auto& [name, text] : content->texts) {
    Check(slurm::IsValidUtf8(name) && slurm::IsValidUtf8(text), "claims are UTF-8");
  }
  static const auto* const keys = new TokenKeys(TokenKeys::FromSecret(kSecret).value());
  const bool verified = keys->Verify(token, *content).ok();
  Check(!verified || absl::StartsWith(token, absl::StrCat(kSigned, ".")),
        "only what was signed is taken");
  Check(!TokenKeys().Verify(token, *content).ok(), "without keys nothing is taken");
}

void RunKeys(const std::string& text) {
  const absl::StatusOr<TokenKeys> keys = TokenKeys::FromJwks(text);
  Check(keys.ok() || absl::IsInvalidArgument(keys.status()), "a text is keys or is not");
  Check(!keys.ok() || !keys->empty(), "keys are some");
}

void RunOne(const std::string& text) {
  RunToken(std::string(absl::StripSuffix(text, "\n")));
  std::vector<std::string> parts = absl::StrSplit(text, '\n');
  for (std::string& part : parts) part = absl::WebSafeBase64Escape(part);
  parts.resize(3);
  RunToken(absl::StrCat(parts[0], ".", parts[1], ".", parts[2]));
  RunKeys(text);
}

[[maybe_unused]] const bool registered = fuzz::Register({"json_token", RunOne});

}  // namespace
}  // namespace priorityd::identity
