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
    return ReadGrants({"grants.txt", text}, site_, prices_, absl::UTCTimeZone(), kHistoryBegin);
  }

  laboratory::Site site_;
  grants::PriceBooks prices_;
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

TEST_F(GrantsTextTest, ATransferIsInBothOfItsGrants) {
  const auto grants = Read(
      "transfer a b 2h 2026-02-01T12:00:00\n"
      "transfer b a 30\n"
      "a Accounts=chem TRES=cpu Amount=100h\n"
      "b Accounts=root TRES=cpu Amount=100h\n"
      "transfer Accounts=root Amount=1\n");
  ASSERT_TRUE(grants.ok()) << grants.status();
  ASSERT_EQ(grants->size(), 3u);  // The last one has the name.
  const absl::Time noon = absl::FromUnixSeconds(1'769'947'200);
  const auto minutes = [](int n) { return grants::Amount::FromMinutes(n); };
  EXPECT_EQ((*grants)[0].settings.grant.transfers,
            (std::vector<grants::Transfer>{{noon, minutes(-120)}, {kHistoryBegin, minutes(30)}}));
  EXPECT_EQ((*grants)[1].settings.grant.transfers,
            (std::vector<grants::Transfer>{{noon, minutes(120)}, {kHistoryBegin, minutes(-30)}}));
}

TEST_F(GrantsTextTest, AmountsOfAPriceBookAreInItsCurrency) {
  prices_["price/eur"];
  const std::string two =
      "a Accounts=chem TRES=price/eur Amount=100.5\nb Accounts=root TRES=price/eur Amount=1\n";
  const auto grants = Read(two + "transfer a b 0.25\n");
  ASSERT_TRUE(grants.ok()) << grants.status();
  EXPECT_EQ((*grants)[0].settings.grant.versions[0].amount.seconds(), 100.5 * 3600);
  EXPECT_EQ((*grants)[1].settings.grant.transfers[0].amount.seconds(), 900);
  EXPECT_THAT(std::string(Read(two + "transfer a b 2h\n").status().message()),
              HasSubstr("line 3: AMOUNT: got \"2h\", want an amount of the currency"));
}

TEST_F(GrantsTextTest, FaultsOfTransfersNameTheirLine) {
  const std::string two =
      "a Accounts=chem TRES=cpu Amount=1h End=2026-02-01\nb Accounts=root TRES=cpu Amount=1h\n"
      "m Accounts=root TRES=mem Amount=1h\n";
  const std::pair<const char*, const char*> faults[] = {
      {"transfer a b", "line 4: transfer: got \"transfer a b\""},
      {"transfer a c 1h", "line 4: transfer: got \"c\", want the name of a grant of the file"},
      {"transfer a a 1h", "transfer: got \"a\", want another grant"},
      {"transfer a m 1h", "transfer: got \"m\", want a grant of cpu"},
      {"transfer b a 1h 2026-02-01", "transfer: got \"a\", want a grant that is in force"},
      {"transfer a b -1h", "line 4: AMOUNT: got"},
      {"transfer a b 1h soon", "line 4: TIME: got"}};
  for (const auto& [text, want] : faults) {
    const auto grants = Read(two + text);
    ASSERT_FALSE(grants.ok()) << text;
    EXPECT_THAT(std::string(grants.status().message()), HasSubstr(want));
  }
}

TEST_F(GrantsTextTest, FaultsNameFileAndLine) {
  const std::pair<const char*, const char*> faults[] = {
      {"\nq Accounts=nobody Amount=1", "grants.txt line 2: Accounts: got \"nobody\""},
      {"q Accounts=chem User=bob Amount=1", "line 1: User: got \"bob\""},
      {"q Accounts=chem Amount=1 Consequence=demote:high", "Consequence: got \"high\""},
      {"q Accounts=chem", "Amount: got"},
      {"q Accounts=chem Amount=1 amount=2", "line 1: Amount: got \"2\", want it once"},
      {"q Accounts=chem Amount=1 Window", "line 1: Window: got \"\", want SETTING=VALUE"},
      {"q Acounts=chem", "Acounts"},
      {"q Accounts=chem TRES=price/eur Amount=1", "TRES: got \"price/eur\", want a TRES, a sum"},
      {"Accounts=chem Amount=1", "NAME: got"},
      {"q Accounts=chem Amount=1\nq Accounts=chem Amount=2", "line 2: NAME: got \"q\""},
      {"a Accounts=chem Amount=1\nb Accounts=chem Amount=1 Window=rolling:7", "line 2: Window"}};
  for (const auto& [text, want] : faults) {
    const auto grants = Read(text);
    ASSERT_FALSE(grants.ok()) << text;
    EXPECT_THAT(std::string(grants.status().message()), HasSubstr(want));
  }
}

TEST_F(GrantsTextTest, AFileWithoutGrantsIsRefused) {
  for (const char* text : {"", "\n\n", "# of the call\n"}) {
    EXPECT_EQ(std::string(Read(text).status().message()),
              "grants.txt: got no lines, want NAME SETTING=VALUE..., a grant on each")
        << text;
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
