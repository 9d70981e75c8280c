#include "server/identity/json_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "tests/server/identity/signing_key.h"
#include "tests/server/identity/slurm_tokens.h"

namespace priorityd::identity {
namespace {

using ::testing::ElementsAre;

constexpr char kClaims[] = R"({"sub":"amy","exp":1795340527})";
constexpr char kSecret[] = "0123456789abcdef0123456789abcdef";

std::string ReasonOf(const absl::Status& status) { return errors::ReasonOf(status); }

absl::Status Verify(const TokenKeys& keys, const std::string& token) {
  const auto content = ReadToken(token);
  if (!content.ok()) return content.status();
  return keys.Verify(token, *content);
}

TokenKeys SecretKeys(const std::string& secret = kSecret) {
  return TokenKeys::FromSecret(secret).value();
}

TokenKeys KeysOf(const SigningKey& key, const std::string& id = "a") {
  return TokenKeys::FromJwks(JwksOf(key.Jwk(id))).value();
}

TEST(JsonTokenTest, TheTokenThatScontrolIssuedIsReadAndVerified) {
  const auto content = ReadToken(kSlurmTokenOfAnn);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->algorithm, "HS256");
  EXPECT_EQ(content->texts.at("sun"), "ann");
  EXPECT_EQ(content->expires, SlurmTokensExpire());
  EXPECT_EQ(content->not_before, std::nullopt);
  EXPECT_TRUE(SecretKeys(SlurmKey()).Verify(kSlurmTokenOfAnn, *content).ok());
  EXPECT_EQ(ReasonOf(Verify(SecretKeys(), kSlurmTokenOfAnn)), "TOKEN_SIGNATURE");
}

TEST(JsonTokenTest, ATokenIsVerifiedByEachAlgorithmThatIsTaken) {
  const SigningKey secret = SigningKey::OfSecret(kSecret);
  const SigningKey rsa = SigningKey::Rsa();
  const SigningKey ec = SigningKey::Ec();
  EXPECT_TRUE(Verify(SecretKeys(), secret.Token(kClaims)).ok());
  EXPECT_TRUE(Verify(KeysOf(rsa), rsa.Token(kClaims)).ok());
  EXPECT_TRUE(Verify(KeysOf(ec), ec.Token(kClaims)).ok());
}

TEST(JsonTokenTest, AnotherKeysSignatureOrAChangedClaimIsRefused) {
  for (const auto& make : {+[] { return SigningKey::Rsa(); }, +[] { return SigningKey::Ec(); }}) {
    const SigningKey ours = make();
    EXPECT_EQ(ReasonOf(Verify(KeysOf(ours), make().Token(kClaims))), "TOKEN_SIGNATURE");
    std::string token = ours.Token(kClaims);
    const size_t first = token.find('.');
    const size_t second = token.rfind('.');
    token.replace(first + 1, second - first - 1, Encode(R"({"sub":"root","exp":1795340527})"));
    EXPECT_EQ(ReasonOf(Verify(KeysOf(ours), token)), "TOKEN_SIGNATURE") << ours.algorithm();
  }
}

// The classic confusions: a public key taken for a secret, and no signature at all.
TEST(JsonTokenTest, AnAlgorithmThatIsNotTheKeysOwnIsRefusedBeforeTheKeyIsTried) {
  const SigningKey rsa = SigningKey::Rsa();
  const SigningKey ec = SigningKey::Ec();
  const TokenKeys keys = KeysOf(rsa);
  const std::string by_public_key = SigningKey::OfSecret(rsa.Pem()).Token(kClaims);
  EXPECT_EQ(ReasonOf(Verify(keys, by_public_key)), "TOKEN_ALGORITHM");
  for (const char* other :
       {"none", "None", "NONE", "", "HS256", "HS384", "RS512", "PS256", "ES256", "rs256", "dir"}) {
    EXPECT_EQ(ReasonOf(Verify(keys, rsa.Token(kClaims, absl::StrCat(other, "x")))),
              "TOKEN_ALGORITHM");
    if (std::string(other).empty()) continue;
    EXPECT_EQ(ReasonOf(Verify(keys, rsa.Token(kClaims, other))), "TOKEN_ALGORITHM") << other;
  }
  EXPECT_EQ(ReasonOf(Verify(keys, ec.Token(kClaims))), "TOKEN_ALGORITHM");
  EXPECT_EQ(ReasonOf(Verify(SecretKeys(), rsa.Token(kClaims))), "TOKEN_ALGORITHM");
  std::string unsigned_token = rsa.Token(kClaims, "none");
  unsigned_token.resize(unsigned_token.rfind('.') + 1);
  EXPECT_EQ(ReasonOf(Verify(keys, unsigned_token)), "TOKEN_ALGORITHM");
  EXPECT_EQ(ReasonOf(Verify(TokenKeys(), rsa.Token(kClaims))), "TOKEN_ALGORITHM");
}

TEST(JsonTokenTest, AnEmptySignatureIsRefused) {
  const SigningKey rsa = SigningKey::Rsa();
  std::string token = rsa.Token(kClaims);
  token.resize(token.rfind('.') + 1);
  EXPECT_EQ(ReasonOf(Verify(KeysOf(rsa), token)), "TOKEN_SIGNATURE");
}

TEST(JsonTokenTest, ATokenThatNamesAKeyIsVerifiedByThatOne) {
  const SigningKey a = SigningKey::Ec();
  const SigningKey b = SigningKey::Ec();
  const auto keys = TokenKeys::FromJwks(JwksOf(absl::StrCat(a.Jwk("a"), ",", b.Jwk("b"))));
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_TRUE(Verify(*keys, b.Token(kClaims, "", R"(,"kid":"b")")).ok());
  EXPECT_TRUE(Verify(*keys, b.Token(kClaims)).ok());
  EXPECT_FALSE(Verify(*keys, b.Token(kClaims, "", R"(,"kid":"a")")).ok());
  EXPECT_FALSE(Verify(*keys, b.Token(kClaims, "", R"(,"kid":"c")")).ok());
}

TEST(JsonTokenTest, WhatIsNoTokenIsMalformed) {
  const SigningKey key = SigningKey::OfSecret(kSecret);
  const std::string good = key.Token(kClaims);
  for (const std::string& token :
       {std::string(), std::string("."), std::string(".."), std::string("a.b"), good + ".x",
        "!" + good, std::string(kMaxTokenBytes + 1, 'a'),
        absl::StrCat(Encode("[]"), ".", Encode("{}"), "."),
        absl::StrCat(Encode("{}"), ".", Encode("7"), "."),
        absl::StrCat(Encode("{"), ".", Encode("{}"), "."),
        key.Token(R"({"exp":1,"exp":9999999999})"), key.Token(R"({"exp":"1795340527"})"),
        key.Token(R"({"exp":-1})"), key.Token(R"({"exp":1e300})"), key.Token(R"({"nbf":true})"),
        key.Token(kClaims, "", R"(,"alg":"HS256")"),
        key.Token(kClaims, "", R"(,"crit":["b64"],"b64":false)"),
        absl::StrCat(Encode(std::string(3000, '[')), ".", Encode("{}"), ".")}) {
    EXPECT_EQ(ReasonOf(Verify(SecretKeys(), token)), "TOKEN_MALFORMED") << token;
  }
}

// libcjose ends the process over `A===`.
TEST(JsonTokenTest, WhatIsNoBase64UrlIsRefusedInASignatureAndInAKey) {
  const std::string token = SigningKey::OfSecret(kSecret).Token(kClaims);
  for (const char* text : {"A===", "AAAAA===", "A", "AA/+", "AA A"}) {
    const std::string with = token.substr(0, token.rfind('.') + 1) + text;
    EXPECT_EQ(ReasonOf(Verify(SecretKeys(), with)), "TOKEN_MALFORMED") << text;
    for (const char* key : {R"("kty":"EC","crv":"P-256","y":"AAAA","x":)",
                            R"("kty":"RSA","e":"AQAB","n":)", R"("kty":"oct","k":)"}) {
      const std::string set = absl::StrCat("{\"keys\":[{", key, "\"", text, "\"}]}");
      EXPECT_TRUE(absl::IsInvalidArgument(TokenKeys::FromJwks(set).status())) << set;
    }
  }
}

TEST(JsonTokenTest, AnAudienceIsOneTextOrAList) {
  const SigningKey key = SigningKey::OfSecret(kSecret);
  EXPECT_THAT(ReadToken(key.Token(R"({"aud":"a"})"))->audience, ElementsAre("a"));
  EXPECT_THAT(ReadToken(key.Token(R"({"aud":["a","b"]})"))->audience, ElementsAre("a", "b"));
  EXPECT_THAT(ReadToken(key.Token(R"({"aud":7})"))->audience, ElementsAre());
}

TEST(JsonTokenTest, KeysThatAreTooWeakOrNotForThisAreLeftOut) {
  const std::string ec = SigningKey::Ec().Jwk("ec");
  for (const std::string& useless :
       {SigningKey::Rsa(1024).Jwk("a"),
        std::string(R"({"kty":"oct","k":"MDEyMzQ1Njc4OWFiY2RlZg"})"),
        std::string(R"({"kty":"OKP"})"), std::string("7"), std::string(R"({"kty":"RSA"})"),
        absl::StrCat(ec.substr(0, ec.size() - 1), R"(,"use":"enc"})"),
        absl::StrCat(ec.substr(0, ec.size() - 1), R"(,"alg":"ES512"})")}) {
    EXPECT_EQ(TokenKeys::FromJwks(JwksOf(useless)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << useless;
    EXPECT_TRUE(TokenKeys::FromJwks(JwksOf(absl::StrCat(useless, ",", ec))).ok()) << useless;
  }
}

TEST(JsonTokenTest, WhatIsNoKeySetIsRefused) {
  for (const char* text : {"", "{}", "[]", R"({"keys":7})", R"({"keys":[]})", "-----BEGIN"}) {
    EXPECT_FALSE(TokenKeys::FromJwks(text).ok()) << text;
  }
  EXPECT_FALSE(TokenKeys::FromSecret("").ok());
  EXPECT_FALSE(TokenKeys::FromSecret("short").ok());
}

}  // namespace
}  // namespace priorityd::identity
