#include "server/flags/flag_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "server/flags/flags.h"

namespace priorityd::flags {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Flags> ParsedWith(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "priorityd");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(FlagChecksTest, ASignInNeedsAllThatItIsMadeOf) {
  std::vector<const char*> all = {"--data_dir=d",
                                  "--auth_file=a",
                                  "--http_listen=127.0.0.1:0",
                                  "--oidc_issuer=https://login.example.org",
                                  "--oidc_client_id=page",
                                  "--oidc_page_url=https://priority.example.org/",
                                  "--oidc_session_key_file=k"};
  const auto taken = ParsedWith(all);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->oidc_session_hours, 8);
  EXPECT_EQ(taken->oidc_scope, "openid profile");
  for (size_t left_out = 1; left_out < all.size(); ++left_out) {
    std::vector<const char*> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const std::string flag(all[left_out], std::string(all[left_out]).find('='));
    EXPECT_THAT(std::string(ParsedWith(others).status().message()), HasSubstr(flag + ": got none"));
  }
  all.push_back("--oidc_scope=profile");
  EXPECT_THAT(std::string(ParsedWith(all).status().message()), HasSubstr("want openid"));
}

}  // namespace
}  // namespace priorityd::flags
