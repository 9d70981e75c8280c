// Signs JSON web tokens as their issuers do, by OpenSSL.
#ifndef PRIORITYD_TESTS_SERVER_IDENTITY_SIGNING_KEY_H_
#define PRIORITYD_TESTS_SERVER_IDENTITY_SIGNING_KEY_H_

#include <memory>
#include <string>

struct evp_pkey_st;

namespace priorityd::identity {

class SigningKey {
 public:
  // HS256 by these bytes.
  static SigningKey OfSecret(const std::string& bytes);
  // A new key: RS256, ES256.
  static SigningKey Rsa(int bits = 2048);
  static SigningKey Ec();

  const std::string& algorithm() const { return algorithm_; }

  // The public key, as a member of a JSON Web Key Set; empty for a secret.
  std::string Jwk(const std::string& key_id) const;
  // The public key in PEM; empty for a secret.
  std::string Pem() const;

  // A token with these claims, which names this algorithm; signed by the key's own, whatever is
  // named. `more` are more members of the header, such as `,"kid":"a"`.
  std::string Token(const std::string& claims, const std::string& named_algorithm = "",
                    const std::string& more = "") const;

 private:
  std::string Sign(const std::string& text) const;

  std::string algorithm_;
  std::string secret_;
  std::shared_ptr<evp_pkey_st> key_;
};

// Base64url without padding.
std::string Encode(const std::string& bytes);

// {"keys":[...]} of one member.
std::string JwksOf(const std::string& jwk);

}  // namespace priorityd::identity

#endif  // PRIORITYD_TESTS_SERVER_IDENTITY_SIGNING_KEY_H_
