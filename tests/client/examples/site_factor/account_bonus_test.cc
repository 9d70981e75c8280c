#include "client/examples/site_factor/account_bonus.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::site_factor_example {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(AccountBonusTest, ALineIsAnAccountAndItsBonus) {
  const auto bonus = ParseAccountBonus("physics 500\n\n# none\ntraining  -200  # for a while\n");
  ASSERT_TRUE(bonus.ok()) << bonus.status();
  EXPECT_THAT(*bonus, UnorderedElementsAre(Pair("physics", 500), Pair("training", -200)));
}

TEST(AccountBonusTest, BothEndsOfTheRangeAreABonus) {
  const auto bonus = ParseAccountBonus("low -2147483648\nhigh 2147483647\n");
  ASSERT_TRUE(bonus.ok()) << bonus.status();
  EXPECT_THAT(*bonus, UnorderedElementsAre(Pair("low", INT32_MIN), Pair("high", INT32_MAX)));
}

TEST(AccountBonusTest, NoTextIsNoBonus) {
  const auto bonus = ParseAccountBonus("");
  ASSERT_TRUE(bonus.ok()) << bonus.status();
  EXPECT_THAT(*bonus, IsEmpty());
}

TEST(AccountBonusTest, AWrongLineIsNamed) {
  for (const char* line : {"physics", "physics many", "physics 2147483648", "physics 1 2"}) {
    const auto bonus = ParseAccountBonus(std::string("chem 1\n") + line + "\n");
    EXPECT_EQ(bonus.status().code(), absl::StatusCode::kInvalidArgument) << line;
    EXPECT_THAT(std::string(bonus.status().message()), HasSubstr("2")) << line;
  }
}

TEST(AccountBonusTest, TheExamplesFileIsRead) {
  const auto bonus = ReadAccountBonus("client/examples/site_factor/bonus.txt");
  ASSERT_TRUE(bonus.ok()) << bonus.status();
  EXPECT_THAT(*bonus, UnorderedElementsAre(Pair("physics", 500), Pair("training", -200)));
}

TEST(AccountBonusTest, AFileThatCannotBeReadIsNotFound) {
  for (const char* path : {"no/such/file", "/"}) {
    EXPECT_EQ(ReadAccountBonus(path).status().code(), absl::StatusCode::kNotFound) << path;
  }
}

}  // namespace
}  // namespace priorityd::site_factor_example
