#include "server/sign_in/cookies.h"

#include <gtest/gtest.h>

namespace priorityd::sign_in {
namespace {

TEST(CookiesTest, WithHttpsNoOtherHostAndNoScriptHasTheCookie) {
  const CookieJar jar("https://priority.example.org/");
  EXPECT_EQ(jar.Setting("session", "abc", absl::Hours(8)),
            "__Host-session=abc; Path=/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure");
  EXPECT_EQ(jar.ValueIn("a=b; __Host-session=abc", "session"), "abc");
  EXPECT_EQ(jar.ValueIn("session=of a neighbour", "session"), "");
}

// RFC 6265bis: __Host- requires Path=/.
TEST(CookiesTest, UnderAPrefixItIsSentThereAlone) {
  EXPECT_EQ(CookieJar("https://portal.example.org/priority/")
                .Setting("session", "abc", absl::ZeroDuration()),
            "__Secure-session=abc; Path=/priority/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
}

TEST(CookiesTest, OfThisHostItselfItNeedsNoTls) {
  const CookieJar jar("http://127.0.0.1:7412/");
  EXPECT_EQ(jar.Setting("session", "abc", absl::Seconds(1)),
            "session=abc; Path=/; Max-Age=1; HttpOnly; SameSite=Lax");
  EXPECT_EQ(jar.ValueIn("session=abc", "session"), "abc");
  EXPECT_EQ(jar.ValueIn("asession=abc; session2=abc", "session"), "");
  // Which of the two is whose is not known.
  EXPECT_EQ(jar.ValueIn("session=abc; session=def", "session"), "");
}

TEST(CookiesTest, AnOriginIsWhatBrowsersSend) {
  EXPECT_EQ(OriginOf("https://Priority.example.org:8443/a/"), "https://priority.example.org:8443");
}

}  // namespace
}  // namespace priorityd::sign_in
