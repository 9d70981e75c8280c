#include "server/sign_in/sealer.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace priorityd::sign_in {
namespace {

const std::string& SealerSecret() {
  static const auto* const kSecret = new std::string(32, 's');
  return *kSecret;
}

TEST(SealerTest, AHolderOfTheSecretReadsWhatAnotherSealed) {
  const std::string sealed = Sealer(SealerSecret()).Seal("session", "amy");
  EXPECT_EQ(Sealer(SealerSecret()).Open("session", sealed), "amy");
  EXPECT_EQ(Sealer(SealerSecret()).Open("session", Sealer(SealerSecret()).Seal("session", "")), "");
}

TEST(SealerTest, AnotherSecretOrPurposeOpensNothing) {
  const std::string sealed = Sealer(SealerSecret()).Seal("session", "amy");
  EXPECT_EQ(Sealer(std::string(32, 't')).Open("session", sealed), std::nullopt);
  EXPECT_EQ(Sealer(SealerSecret()).Open("signin", sealed), std::nullopt);
}

// Each bit is covered by the tag.
TEST(SealerTest, AChangedCharacterAnywhereOpensNothing) {
  const Sealer sealer(SealerSecret());
  const std::string sealed = sealer.Seal("session", "amy");
  for (size_t i = 0; i + 1 < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(sealer.Open("session", changed), std::nullopt) << i;
    EXPECT_EQ(sealer.Open("session", sealed.substr(0, i)), std::nullopt) << i;
  }
  for (const char* text : {"", "=", "not base64!", "AAAA"}) {
    EXPECT_EQ(sealer.Open("session", text), std::nullopt) << text;
  }
}

TEST(SealerTest, TheSameTextIsNeverSealedToTheSame) {
  const Sealer sealer(SealerSecret());
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) all.insert(sealer.Seal("session", "amy"));
  EXPECT_EQ(all.size(), 1000u);
}

// RFC 7636, appendix B.
TEST(SealerTest, TheChallengeIsThatOfTheRfc) {
  EXPECT_EQ(ChallengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

// RFC 7636, 4.1: 43 to 128 characters.
TEST(SealerTest, ARandomTextIsACodeVerifier) {
  const std::string text = RandomText(32);
  EXPECT_EQ(text.size(), 43u);
  EXPECT_EQ(
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
  EXPECT_NE(text, RandomText(32));
}

}  // namespace
}  // namespace priorityd::sign_in
