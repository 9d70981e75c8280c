#include "engine/priority/snapshot/default_accounts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

TEST(DefaultAccountsTest, AreByUser) {
  const DefaultAccounts accounts({{"ann", "physics"}, {"bob", "ann"}, {"cid", ""}});
  EXPECT_EQ(accounts.Find("ann"), "physics");
  EXPECT_EQ(accounts.Find("bob"), "ann");
  EXPECT_EQ(accounts.Find("cid"), "");
  EXPECT_EQ(accounts.Find("dan"), "");
  EXPECT_EQ(accounts.Find("physics"), "");
  EXPECT_EQ(accounts.Find(""), "");
  EXPECT_EQ(DefaultAccounts().Find("ann"), "");
}

TEST(DefaultAccountsTest, EqualOnesHaveTheSameHashAndOthersDiffer) {
  const DefaultAccounts a({{"ann", "physics"}, {"bob", "art"}});
  const DefaultAccounts same({{"ann", "physics"}, {"bob", "art"}});
  const DefaultAccounts other({{"ann", "art"}, {"bob", "physics"}});
  EXPECT_EQ(a, same);
  EXPECT_EQ(a.Hash(), same.Hash());
  EXPECT_FALSE(a == other);
}

TEST(DefaultAccountsTest, ManyUsersAreAllFound) {
  std::vector<std::string> users;
  for (int i = 0; i < 5000; ++i) users.push_back(absl::StrCat("user", i));
  std::vector<DefaultAccounts::UserAndAccount> given;
  for (size_t i = 0; i < users.size(); ++i) given.emplace_back(users[i], users[i / 2]);
  const DefaultAccounts accounts(given);
  for (size_t i = 0; i < users.size(); ++i) EXPECT_EQ(accounts.Find(users[i]), users[i / 2]);
}

}  // namespace
}  // namespace priorityd::priority
