#include "server/grants/domain_grants.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "server/grants/standings.h"

namespace priorityd::grants {
namespace {

TEST(DomainGrantsTest, OnlyGrantsOfTheSurvivingUserHoldForTheMergedOnesToo) {
  std::vector<storage::GrantStanding> rows = {{.place = 3, .name = "all", .user_name = ""},
                                              {.place = 5, .name = "q1", .user_name = "amy"},
                                              {.place = 8, .name = "q2", .user_name = "cat"}};
  AddMergedUsers({{.from_user = "a.smith", .into_user = "amy"},
                  {.from_user = "asmith", .into_user = "amy"},
                  {.from_user = "bob", .into_user = "ben"}},
                 &rows);
  std::vector<std::string> got;
  for (const storage::GrantStanding& row : rows) {
    got.push_back(std::to_string(row.place) + " " + row.name + " " + row.user_name);
  }
  EXPECT_EQ(got, (std::vector<std::string>{"0 all ", "1 q1 amy", "2 q2 cat", "3 q1 a.smith",
                                           "4 q1 asmith"}));
}

// Rows as a program writes them, of each consequence.
std::vector<storage::GrantStanding> RowsOfAllConsequences() {
  const std::pair<const char*, const char*> all[] = {
      {"none", ""},     {"demote", ""}, {"block", ""},         {"reduce", "FairShare=10%"},
      {"band", "1000"}, {"refuse", ""}, {"cap", "gres/gpu=8"}, {"warn", ""}};
  std::vector<storage::GrantStanding> rows;
  for (const auto& [word, value] : all) {
    rows.push_back({.name = word, .tres = "cpu", .consequence = word, .consequence_value = value});
  }
  return rows;
}

TEST(StandingRowsTest, EachConsequenceComesBackAsItWasWritten) {
  const std::vector<storage::GrantStanding> rows = RowsOfAllConsequences();
  ASSERT_EQ(rows.size(), std::size(kConsequenceWords));
  const auto standings = FromRows(rows);
  ASSERT_TRUE(standings.ok()) << standings.status();
  ASSERT_EQ(standings->size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const storage::GrantStanding again = ToRow((*standings)[i], i);
    EXPECT_EQ(again.consequence, rows[i].consequence);
    EXPECT_EQ(again.consequence_value, rows[i].consequence_value);
  }
}

TEST(StandingRowsTest, AConsequenceThatCannotBeReadIsAnErrorAndNotNone) {
  const std::pair<const char*, const char*> unreadable[] = {
      {"halt", ""}, {"", ""}, {"Block", ""}, {"cap", "gres/gpu"}, {"band", ""}, {"block", "7"}};
  for (const auto& [word, value] : unreadable) {
    std::vector<storage::GrantStanding> rows = RowsOfAllConsequences();
    rows.push_back({.name = "q7", .consequence = word, .consequence_value = value});
    const absl::Status status = FromRows(rows).status();
    EXPECT_TRUE(absl::IsInternal(status)) << word << " " << value << " " << status;
    EXPECT_NE(status.message().find("standing of grant q7: got "), std::string::npos) << status;
    priority::GrantStandings of_member = {{}};
    EXPECT_EQ(AddDomainGrants(rows, "site", &of_member), status);
    EXPECT_EQ(of_member.size(), 1u);
  }
}

TEST(StandingRowsTest, GrantsOfTheDomainAreNamedAfterIt) {
  priority::GrantStandings standings = {{}};
  ASSERT_TRUE(AddDomainGrants(RowsOfAllConsequences(), "site", &standings).ok());
  ASSERT_EQ(standings.size(), 1 + std::size(kConsequenceWords));
  EXPECT_EQ(standings[0].domain, "");
  EXPECT_EQ(standings[1].domain, "site");
}

}  // namespace
}  // namespace priorityd::grants
