#include "tests/server/identity/signing_key.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace priorityd::identity {
namespace {

constexpr int kEs256Bytes = 32;

std::shared_ptr<EVP_PKEY> Own(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

// A number of the public key, in so many bytes at least.
std::string Number(const EVP_PKEY* key, const char* name, int bytes = 0) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::vector<unsigned char> buffer(static_cast<size_t>(std::max(bytes, BN_num_bytes(number))));
  BN_bn2binpad(number, buffer.data(), static_cast<int>(buffer.size()));
  BN_free(number);
  return {buffer.begin(), buffer.end()};
}

// The two numbers of an ECDSA signature, which OpenSSL gives in DER.
std::string RawSignature(const std::vector<unsigned char>& der) {
  const unsigned char* bytes = der.data();
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size()));
  std::vector<unsigned char> raw(2 * kEs256Bytes);
  BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.data(), kEs256Bytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.data() + kEs256Bytes, kEs256Bytes);
  ECDSA_SIG_free(signature);
  return {raw.begin(), raw.end()};
}

}  // namespace

SigningKey SigningKey::OfSecret(const std::string& bytes) {
  SigningKey key;
  key.algorithm_ = "HS256";
  key.secret_ = bytes;
  return key;
}

SigningKey SigningKey::Rsa(int bits) {
  SigningKey key;
  key.algorithm_ = "RS256";
  key.key_ = Own(EVP_RSA_gen(static_cast<unsigned>(bits)));
  return key;
}

SigningKey SigningKey::Ec() {
  SigningKey key;
  key.algorithm_ = "ES256";
  key.key_ = Own(EVP_EC_gen("P-256"));
  return key;
}

std::string SigningKey::Jwk(const std::string& key_id) const {
  if (algorithm_ == "RS256") {
    return absl::StrCat(R"({"kty":"RSA","use":"sig","kid":")", key_id, R"(","n":")",
                        Encode(Number(key_.get(), OSSL_PKEY_PARAM_RSA_N)), R"(","e":")",
                        Encode(Number(key_.get(), OSSL_PKEY_PARAM_RSA_E)), R"("})");
  }
  if (algorithm_ == "ES256") {
    return absl::StrCat(R"({"kty":"EC","crv":"P-256","kid":")", key_id, R"(","x":")",
                        Encode(Number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, kEs256Bytes)),
                        R"(","y":")",
                        Encode(Number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, kEs256Bytes)), R"("})");
  }
  return "";
}

std::string SigningKey::Pem() const {
  if (key_ == nullptr) return "";
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(bio, key_.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  const std::string pem(text, static_cast<size_t>(size));
  BIO_free(bio);
  return pem;
}

std::string SigningKey::Sign(const std::string& text) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (key_ == nullptr) {
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), bytes, text.size(), mac,
         &size);
    return {mac, mac + size};
  }
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_.get());
  size_t size = 0;
  EVP_DigestSign(context, nullptr, &size, bytes, text.size());
  std::vector<unsigned char> signature(size);
  EVP_DigestSign(context, signature.data(), &size, bytes, text.size());
  EVP_MD_CTX_free(context);
  signature.resize(size);
  if (algorithm_ == "ES256") return RawSignature(signature);
  return {signature.begin(), signature.end()};
}

std::string SigningKey::Token(const std::string& claims, const std::string& named_algorithm,
                              const std::string& more) const {
  const std::string& algorithm = named_algorithm.empty() ? algorithm_ : named_algorithm;
  const std::string header = absl::StrCat(R"({"alg":")", algorithm, R"(","typ":"JWT")", more, "}");
  const std::string text = absl::StrCat(Encode(header), ".", Encode(claims));
  return absl::StrCat(text, ".", Encode(Sign(text)));
}

std::string Encode(const std::string& bytes) {
  return absl::WebSafeBase64Escape({bytes.data(), bytes.size()});
}

std::string JwksOf(const std::string& jwk) { return absl::StrCat(R"({"keys":[)", jwk, "]}"); }

}  // namespace priorityd::identity
