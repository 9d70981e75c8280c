#include "client/prioctl/replay/grants_text.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::HasSubstr;

const absl::Time kHistoryBegin = absl::FromUnixSeconds(1'767'571'200);  // 2026-01-05

class GrantsTextTest : public ::testing::Test {
 protected:
  GrantsTextTest() {
    const std::vector<priority::Association> associations = {
        {.id = 1, .account = "root"},
        {.id = 2, .parent_id = 1, .account = "chem"},
        {.id = 3, .parent_id = 2, .account = "chem", .user = "ann"}};
    site_.tree = std::make_shared<const priority::AssociationTree>(
        *priority::AssociationTree::Build(associations));
    site_.qos.emplace_back().name = "low";
  }

  absl::StatusOr<std::vector<laboratory::TriedGrant>> Read(const std::string& text) {
    return ReadGrants({"grants.txt", text}, site_, absl::UTCTimeZone(), kHistoryBegin);
  }

  laboratory::Site site_;
};

TEST_F(GrantsTextTest, ALineIsAGrantThatBeginsWithTheHistory) {
  const auto grants = Read(
      "# of the call\n\n"
      "q1 accounts=chem TRES=cpu Amount=100h Consequence=demote:low\n"
      "  u1\tAccounts=chem User=ann Amount=60 Begin=2026-02-01 End=2026-03-01\r\n");
  ASSERT_TRUE(grants.ok()) << grants.status();
  ASSERT_EQ(grants->size(), 2u);
  const laboratory::TriedGrant& first = (*grants)[0];
  EXPECT_EQ(first.name, "q1");
  EXPECT_EQ(first.settings.grant.begin, kHistoryBegin);
  EXPECT_EQ(first.settings.grant.versions[0].amount.minutes(), 6000);
  EXPECT_EQ(first.settings.demoted_qos, "low");
  EXPECT_EQ((*grants)[1].settings.user, "ann");
}

TEST_F(GrantsTextTest, FaultsNameFileAndLine) {
  const std::pair<const char*, const char*> faults[] = {
      {"\nq Accounts=nobody Amount=1", "grants.txt line 2: Accounts: got \"nobody\""},
      {"q Accounts=chem User=bob Amount=1", "line 1: User: got \"bob\""},
      {"q Accounts=chem Amount=1 Consequence=demote:high", "Consequence: got \"high\""},
      {"q Accounts=chem", "Amount: got"},
      {"q Acounts=chem", "Acounts"},
      {"Accounts=chem Amount=1", "NAME: got"},
      {"q Accounts=chem Amount=1\nq Accounts=chem Amount=2", "line 2: NAME: got \"q\""},
      {"a Accounts=chem Amount=1\nb Accounts=chem Amount=1 Window=rolling:7", "line 2: Window"}};
  for (const auto& [text, want] : faults) {
    const auto grants = Read(text);
    ASSERT_FALSE(grants.ok()) << text;
    EXPECT_THAT(std::string(grants.status().message()), HasSubstr(want));
  }
}

TEST_F(GrantsTextTest, AFileHasAtMostAThousandGrants) {
  std::string text;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "g", i, " Accounts=chem Amount=1\n");
  EXPECT_TRUE(Read(text).ok());
  EXPECT_THAT(std::string(Read(text + "more Accounts=chem Amount=1").status().message()),
              HasSubstr("line 1001: got more grants, want at most 1000"));
}

}  // namespace
}  // namespace priorityd::replay
