#include "server/identity/json_token.h"

#include <cjose/cjose.h>
#include <jansson.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/file_violations.h"
#include "server/identity/refusal.h"

namespace priorityd::identity {
// A member of TokenKeys::Key, which is not of this file alone.
struct FreeKey {
  void operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }
};
using Jwk = std::unique_ptr<cjose_jwk_t, FreeKey>;

namespace {

constexpr double kLatestSeconds = 253402300799;  // The end of the year 9999.
constexpr size_t kLeastSecretBytes = 16;
constexpr size_t kLeastRsaBits = 2048;

struct FreeJson {
  void operator()(json_t* json) const { json_decref(json); }
};
struct FreeSignature {
  void operator()(cjose_jws_t* signature) const { cjose_jws_release(signature); }
};
using Json = std::unique_ptr<json_t, FreeJson>;

Json ParseObject(absl::string_view text) {
  Json json(json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES, nullptr));
  return json_is_object(json.get()) ? std::move(json) : nullptr;
}

std::string TextOf(const json_t* json) {
  if (!json_is_string(json)) return "";
  return std::string(json_string_value(json), json_string_length(json));
}

absl::Status Malformed(absl::string_view what) {
  return Refused("TOKEN_MALFORMED",
                 absl::StrCat("got a token ", what, ", want a JSON web token in compact form"));
}

// base64url without padding (RFC 7515). Checked before libcjose, which aborts the process on
// `A===`.
bool IsBase64Url(absl::string_view text) {
  const auto is_digit = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_';
  };
  return text.size() % 4 != 1 && std::all_of(text.begin(), text.end(), is_digit);
}

// Whether the numbers and bytes of a key are valid.
bool IsReadable(const json_t* key) {
  for (const char* member : {"n", "e", "d", "p", "q", "dp", "dq", "qi", "x", "y", "k"}) {
    if (!IsBase64Url(TextOf(json_object_get(key, member)))) return false;
  }
  return true;
}

// The JSON of one part of a token.
Json DecodePart(absl::string_view part) {
  std::string text;
  return absl::WebSafeBase64Unescape(part, &text) ? ParseObject(text) : nullptr;
}

bool ReadTime(const json_t* json, std::optional<absl::Time>* time) {
  if (json == nullptr) return true;
  const double seconds = json_is_number(json) ? json_number_value(json) : -1;
  if (!(seconds >= 0 && seconds <= kLatestSeconds)) return false;
  *time = absl::UnixEpoch() + absl::Floor(absl::Seconds(seconds), absl::Seconds(1));
  return true;
}

void ReadAudience(const json_t* json, std::vector<std::string>* audience) {
  if (json_is_string(json)) audience->push_back(TextOf(json));
  for (size_t i = 0; i < json_array_size(json); ++i) {
    audience->push_back(TextOf(json_array_get(json, i)));
  }
}

absl::Status ReadHeader(const json_t* header, TokenContent* content) {
  if (json_object_get(header, "crit") != nullptr) return Malformed("with a crit header");
  content->algorithm = TextOf(json_object_get(header, "alg"));
  content->key_id = TextOf(json_object_get(header, "kid"));
  return absl::OkStatus();
}

absl::Status ReadClaims(json_t* claims, TokenContent* content) {
  if (!ReadTime(json_object_get(claims, "exp"), &content->expires) ||
      !ReadTime(json_object_get(claims, "nbf"), &content->not_before)) {
    return Malformed("whose exp or nbf is no time");
  }
  ReadAudience(json_object_get(claims, "aud"), &content->audience);
  const char* name = nullptr;
  json_t* value = nullptr;
  json_object_foreach(claims, name, value) {
    if (json_is_string(value)) content->texts[name] = TextOf(value);
  }
  content->issuer = content->texts["iss"];
  return absl::OkStatus();
}

bool SignedBy(const cjose_jwk_t* key, absl::string_view token) {
  cjose_err error = {};
  const std::unique_ptr<cjose_jws_t, FreeSignature> signature(
      cjose_jws_import(token.data(), token.size(), &error));
  return signature != nullptr && cjose_jws_verify(signature.get(), key, &error);
}

// The supported algorithm of a public key; empty = none.
std::string AlgorithmOf(const cjose_jwk_t* key) {
  cjose_err error = {};
  const cjose_jwk_kty_t type = cjose_jwk_get_kty(key, &error);
  if (type == CJOSE_JWK_KTY_RSA && cjose_jwk_get_keysize(key, &error) >= kLeastRsaBits) {
    return "RS256";
  }
  if (type == CJOSE_JWK_KTY_EC && cjose_jwk_EC_get_curve(key, &error) == CJOSE_JWK_EC_P_256) {
    return "ES256";
  }
  return "";
}

// Whether a member of a key is missing or has this value.
bool Permits(const json_t* key, const char* member, absl::string_view value) {
  const json_t* given = json_object_get(key, member);
  return given == nullptr || TextOf(given) == value;
}

}  // namespace

struct TokenKeys::Key {
  Jwk jwk;
  std::string algorithm;
  std::string key_id;
};

absl::StatusOr<TokenContent> ReadToken(absl::string_view token) {
  if (token.size() > kMaxTokenBytes) return Malformed(absl::StrCat("of ", token.size(), " bytes"));
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  if (parts.size() != 3) return Malformed("that has not three parts");
  if (!std::all_of(parts.begin(), parts.end(), IsBase64Url)) {
    return Malformed("whose parts are no base64url");
  }
  const Json header = DecodePart(parts[0]);
  const Json claims = DecodePart(parts[1]);
  if (header == nullptr || claims == nullptr) return Malformed("whose parts are no JSON objects");
  TokenContent content;
  if (absl::Status s = ReadHeader(header.get(), &content); !s.ok()) return s;
  if (absl::Status s = ReadClaims(claims.get(), &content); !s.ok()) return s;
  return content;
}

absl::StatusOr<TokenKeys> TokenKeys::FromSecret(absl::string_view bytes) {
  if (bytes.size() < kLeastSecretBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("got a key of ", bytes.size(), " bytes, want 32 random ones"));
  }
  cjose_err error = {};
  Jwk jwk(cjose_jwk_create_oct_spec(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                    &error));
  if (jwk == nullptr) return absl::InvalidArgumentError("got a key that cannot be used");
  TokenKeys keys;
  keys.keys_.push_back(std::make_shared<const Key>(Key{std::move(jwk), "HS256", ""}));
  return keys;
}

absl::StatusOr<TokenKeys> TokenKeys::FromJwks(absl::string_view json) {
  if (json.size() > kMaxJwksBytes) return absl::InvalidArgumentError("got more than 1 MiB");
  const Json set = ParseObject(json);
  const json_t* list = set == nullptr ? nullptr : json_object_get(set.get(), "keys");
  if (!json_is_array(list) || json_array_size(list) > kMaxKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("got no JSON Web Key Set of at most ", kMaxKeys, " keys, want one"));
  }
  TokenKeys keys;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    json_t* given = json_array_get(list, i);
    if (!IsReadable(given)) continue;
    cjose_err error = {};
    Jwk jwk(cjose_jwk_import_json(reinterpret_cast<cjose_header_t*>(given), &error));
    if (jwk == nullptr) continue;
    std::string algorithm = AlgorithmOf(jwk.get());
    if (algorithm.empty() || !Permits(given, "use", "sig") || !Permits(given, "alg", algorithm)) {
      continue;
    }
    keys.keys_.push_back(std::make_shared<const Key>(
        Key{std::move(jwk), std::move(algorithm), TextOf(json_object_get(given, "kid"))}));
  }
  if (!keys.empty()) return keys;
  return absl::InvalidArgumentError(
      "got no key for RS256 (of 2048 bits) or ES256 in the set, want one");
}

absl::Status TokenKeys::Verify(absl::string_view token, const TokenContent& content) const {
  bool any_for_algorithm = false;
  for (const std::shared_ptr<const Key>& key : keys_) {
    if (key->algorithm != content.algorithm) continue;
    any_for_algorithm = true;
    const bool is_named =
        key->key_id.empty() || content.key_id.empty() || key->key_id == content.key_id;
    if (is_named && SignedBy(key->jwk.get(), token)) return absl::OkStatus();
  }
  if (any_for_algorithm) {
    return Refused("TOKEN_SIGNATURE", "got a token that none of the service's keys signed");
  }
  return Refused("TOKEN_ALGORITHM",
                 absl::StrCat("got a token by algorithm ", slurm::Quoted(content.algorithm),
                              ", for which the service has no key of the token's issuer"));
}

}  // namespace priorityd::identity
