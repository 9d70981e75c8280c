// JSON web tokens (RFC 7519) in compact form: parsing and signature verification.
#ifndef PRIORITYD_SERVER_IDENTITY_JSON_TOKEN_H_
#define PRIORITYD_SERVER_IDENTITY_JSON_TOKEN_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::identity {

// Longer tokens are refused unread; gRPC itself accepts 8 KiB of metadata.
inline constexpr size_t kMaxTokenBytes = 8 << 10;
inline constexpr size_t kMaxJwksBytes = 1 << 20;
inline constexpr int kMaxKeys = 100;

// The unverified content of a token.
struct TokenContent {
  std::string algorithm;  // From its header: `HS256`.
  std::string key_id;     // Empty = none.
  std::string issuer;
  std::vector<std::string> audience;
  std::optional<absl::Time> expires;
  std::optional<absl::Time> not_before;
  // All claims with text values, including those above.
  std::map<std::string, std::string> texts;
};

// Refuses (TOKEN_MALFORMED) a token that is too long, is not three parts of base64url, is not JSON,
// has a duplicate member or an invalid time, or has critical headers (`crit`).
absl::StatusOr<TokenContent> ReadToken(absl::string_view token);

// Keys that verify signatures. Immutable; cheap to copy. Thread-safe.
class TokenKeys {
 public:
  // Verifies nothing.
  TokenKeys() = default;

  // A secret for HS256. INVALID_ARGUMENT under 16 bytes.
  static absl::StatusOr<TokenKeys> FromSecret(absl::string_view bytes);

  // The public keys of a JSON Web Key Set (RFC 7517): RSA of 2048 bits or more for RS256, EC over
  // P-256 for ES256. Other keys are ignored, including symmetric ones, which do not belong in a
  // public set. INVALID_ARGUMENT if no key is left, or beyond the bounds above.
  static absl::StatusOr<TokenKeys> FromJwks(absl::string_view json);

  bool empty() const { return keys_.empty(); }

  // Verifies that one of the keys signed the token, with the key's own algorithm; only the named
  // key if the token names one. `content`: parsed from `token`. TOKEN_ALGORITHM, before any key is
  // tried, for an algorithm without a key, including `none`; TOKEN_SIGNATURE otherwise.
  absl::Status Verify(absl::string_view token, const TokenContent& content) const;

 private:
  struct Key;

  std::vector<std::shared_ptr<const Key>> keys_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_JSON_TOKEN_H_
