#include "server/sign_in/sealer.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace priorityd::sign_in {
namespace {

constexpr char kKeyLabel[] = "priorityd sign-in 1";
constexpr size_t kKeyBytes = 32;
constexpr int kNonceBytes = 12;
constexpr int kTagBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* cipher) const { EVP_CIPHER_CTX_free(cipher); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* Bytes(std::string* text) { return reinterpret_cast<unsigned char*>(text->data()); }

int SizeOf(absl::string_view text) { return static_cast<int>(text.size()); }

// These functions fail only without memory, or without random numbers.
void Must(bool succeeded) {
  if (!succeeded) std::abort();
}

std::string RandomBytes(size_t bytes) {
  std::string random(bytes, '\0');
  Must(RAND_bytes(Bytes(&random), static_cast<int>(bytes)) == 1);
  return random;
}

}  // namespace

Sealer::Sealer(absl::string_view secret) : key_(kKeyBytes, '\0') {
  // The secret has full entropy, so that one HMAC is a sufficient key derivation.
  unsigned size = 0;
  Must(HMAC(EVP_sha256(), secret.data(), SizeOf(secret), Bytes(absl::string_view(kKeyLabel)),
            sizeof(kKeyLabel) - 1, Bytes(&key_), &size) != nullptr);
}

std::string Sealer::Seal(absl::string_view purpose, absl::string_view text) const {
  const std::string nonce = RandomBytes(kNonceBytes);
  std::string sealed(text.size(), '\0');
  std::string tag(kTagBytes, '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  Must(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, Bytes(key_), Bytes(nonce)) ==
       1);
  Must(EVP_EncryptUpdate(cipher.get(), nullptr, &size, Bytes(purpose), SizeOf(purpose)) == 1);
  Must(EVP_EncryptUpdate(cipher.get(), Bytes(&sealed), &size, Bytes(text), SizeOf(text)) == 1);
  Must(EVP_EncryptFinal_ex(cipher.get(), Bytes(&sealed) + size, &size) == 1);
  Must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1);
  return absl::WebSafeBase64Escape(absl::StrCat(nonce, sealed, tag));
}

std::optional<std::string> Sealer::Open(absl::string_view purpose, absl::string_view sealed) const {
  std::string bytes;
  if (!absl::WebSafeBase64Unescape(sealed, &bytes)) return std::nullopt;
  if (bytes.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const absl::string_view all = bytes;
  const absl::string_view nonce = all.substr(0, kNonceBytes);
  const absl::string_view body = all.substr(kNonceBytes, all.size() - kNonceBytes - kTagBytes);
  std::string tag(all.substr(all.size() - kTagBytes));
  std::string text(body.size(), '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  Must(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, Bytes(key_), Bytes(nonce)) ==
       1);
  Must(EVP_DecryptUpdate(cipher.get(), nullptr, &size, Bytes(purpose), SizeOf(purpose)) == 1);
  Must(EVP_DecryptUpdate(cipher.get(), Bytes(&text), &size, Bytes(body), SizeOf(body)) == 1);
  Must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1);
  if (EVP_DecryptFinal_ex(cipher.get(), Bytes(&text) + size, &size) != 1) return std::nullopt;
  return text;
}

std::string RandomText(size_t bytes) { return absl::WebSafeBase64Escape(RandomBytes(bytes)); }

std::string ChallengeOf(absl::string_view verifier) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(Bytes(verifier), verifier.size(), Bytes(&digest));
  return absl::WebSafeBase64Escape(digest);
}

}  // namespace priorityd::sign_in
