#include "server/rpc/page_token.h"

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::rpc {

std::string Encode(const PageToken& token) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(token.generation, " ", token.position, " ", token.fingerprint));
}

std::optional<PageToken> DecodePageToken(absl::string_view text) {
  std::string plain;
  if (!absl::WebSafeBase64Unescape(text, &plain)) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(plain, ' ');
  PageToken token;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &token.generation) ||
      !absl::SimpleAtoi(parts[1], &token.position) ||
      !absl::SimpleAtoi(parts[2], &token.fingerprint) || token.position < 0) {
    return std::nullopt;
  }
  return token;
}

}  // namespace priorityd::rpc
