#include "server/sign_in/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"

namespace priorityd::sign_in {
namespace {

using ::testing::HasSubstr;

constexpr char kIssuer[] = "https://login.example.org";

// As OpenID Connect Discovery 1.0 has it, with one member replaced.
std::string Document(const std::string& name, const std::string& value) {
  std::string members;
  const std::pair<std::string, std::string> kAll[] = {
      {"issuer", R"("https://login.example.org")"},
      {"authorization_endpoint", R"("https://login.example.org/auth")"},
      {"token_endpoint", R"("https://login.example.org/token")"},
      {"end_session_endpoint", R"("https://login.example.org/out")"}};
  for (const auto& [member, text] : kAll) {
    absl::StrAppend(&members, "\"", member, "\":", member == name ? value : text, ",");
  }
  return absl::StrCat("{", members, "\"other\":1}");
}

TEST(ProviderTest, ADocumentHasTheEndpoints) {
  const auto endpoints = ReadEndpoints(Document("", ""), kIssuer);
  ASSERT_TRUE(endpoints.ok()) << endpoints.status();
  EXPECT_EQ(endpoints->authorization, "https://login.example.org/auth");
  EXPECT_EQ(endpoints->token, "https://login.example.org/token");
  EXPECT_EQ(endpoints->end_session, "https://login.example.org/out");
  EXPECT_TRUE(endpoints->takes_basic);
  EXPECT_FALSE(endpoints->names_issuer);
}

TEST(ProviderTest, AWrongDocumentIsRefusedByItsMember) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"issuer", R"("https://evil.example.org")"},
      {"issuer", "null"},
      {"authorization_endpoint", R"("http://login.example.org/auth")"},
      {"authorization_endpoint", R"("javascript:x")"},
      {"token_endpoint", "17"},
      {"token_endpoint", R"("file:///etc/passwd")"},
      {"end_session_endpoint", R"("javascript:x")"}};
  for (const auto& [name, value] : kWrong) {
    const auto endpoints = ReadEndpoints(Document(name, value), kIssuer);
    EXPECT_TRUE(absl::IsInvalidArgument(endpoints.status())) << name << value;
    EXPECT_THAT(std::string(endpoints.status().message()), HasSubstr(name));
  }
  for (const char* text : {"", "[]", "{", "null"}) {
    EXPECT_FALSE(ReadEndpoints(text, kIssuer).ok()) << text;
  }
  EXPECT_FALSE(ReadEndpoints(std::string(60'000, '['), kIssuer).ok());
}

TEST(ProviderTest, AProviderThatIsDownIsNotAskedByEachReader) {
  httplib::Server server;
  std::atomic<int> asked = 0;
  server.Get("/.well-known/openid-configuration",
             [&](const httplib::Request&, httplib::Response& response) {
               ++asked;
               response.status = 500;
             });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { server.listen_after_bind(); });
  Provider provider(absl::StrCat("http://127.0.0.1:", port), {.id = "page"}, "");
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(absl::IsUnavailable(provider.Discover().status()));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(absl::IsUnavailable(provider.IdTokenFor("code", "verifier", "url").status()));
  server.stop();
  thread.join();
}

}  // namespace
}  // namespace priorityd::sign_in
