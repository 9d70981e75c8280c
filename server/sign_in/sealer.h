// Texts that only the holders of a key can read and make.
#ifndef PRIORITYD_SERVER_SIGN_IN_SEALER_H_
#define PRIORITYD_SERVER_SIGN_IN_SEALER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::sign_in {

// Encrypts and authenticates with AES-256-GCM (NIST SP 800-38D), under a key derived from a secret
// and random nonces: the same secret gives the same key on every replica. Immutable.
class Sealer {
 public:
  explicit Sealer(absl::string_view secret);

  // The result is base64url. `purpose` must be the same in Open.
  std::string Seal(absl::string_view purpose, absl::string_view text) const;

  // nullopt for a text that Seal has not made with this secret and purpose.
  std::optional<std::string> Open(absl::string_view purpose, absl::string_view sealed) const;

 private:
  std::string key_;
};

// `bytes` random bytes in base64url, for names that nobody can guess.
std::string RandomText(size_t bytes);

// SHA-256 in base64url without padding: the challenge of a code verifier (RFC 7636, S256).
std::string ChallengeOf(absl::string_view verifier);

}  // namespace priorityd::sign_in

#endif  // PRIORITYD_SERVER_SIGN_IN_SEALER_H_
