// JSON web tokens (RFC 7519) in compact form: what is in one, and whether it is signed.
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

// Longer ones are refused unread; gRPC itself takes 8 KiB of metadata.
inline constexpr size_t kMaxTokenBytes = 8 << 10;
inline constexpr size_t kMaxJwksBytes = 1 << 20;
inline constexpr int kMaxKeys = 100;

// What a token says; nothing of it is proved.
struct TokenContent {
  std::string algorithm;  // As its header names it: `HS256`.
  std::string key_id;     // Empty = it names none.
  std::string issuer;
  std::vector<std::string> audience;
  std::optional<absl::Time> expires;
  std::optional<absl::Time> not_before;
  // The claims that are texts, those above included.
  std::map<std::string, std::string> texts;
};

// Refuses (TOKEN_MALFORMED) what is too long, not three parts of base64url, not JSON, has a member
// twice, a time that is none, or a header that only `crit` explains.
absl::StatusOr<TokenContent> ReadToken(absl::string_view token);

// Keys that verify signatures. Immutable; cheap to copy. Thread-safe.
class TokenKeys {
 public:
  // Verifies nothing.
  TokenKeys() = default;

  // These bytes, for HS256. INVALID_ARGUMENT under 16 bytes.
  static absl::StatusOr<TokenKeys> FromSecret(absl::string_view bytes);

  // The public keys of a JSON Web Key Set (RFC 7517): RSA of 2048 bits or more for RS256, EC over
  // P-256 for ES256. Others are left out; symmetric ones have no place in a public set.
  // INVALID_ARGUMENT when none is left, or beyond the bounds above.
  static absl::StatusOr<TokenKeys> FromJwks(absl::string_view json);

  bool empty() const { return keys_.empty(); }

  // Whether one of the keys signed the token, by the algorithm that is the key's own; where the
  // token names a key, that key. `content` is that of `token`. Refuses with TOKEN_ALGORITHM what
  // no key here is for, `none` among it, before any key is tried; else TOKEN_SIGNATURE.
  absl::Status Verify(absl::string_view token, const TokenContent& content) const;

 private:
  struct Key;

  std::vector<std::shared_ptr<const Key>> keys_;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_JSON_TOKEN_H_
