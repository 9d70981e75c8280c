#include "server/grants/domain_grants.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace priorityd::grants
