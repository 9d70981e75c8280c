#include "engine/priority/site/grant_standings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::priority {
namespace {

std::string NamesOf(const GrantStandings& standings) {
  std::string names;
  for (const GrantStanding& standing : standings) names += standing.name;
  return names;
}

TEST(GrantStandingsTest, ACopySharesAllButWhatEitherChanges) {
  GrantStandings list = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  GrantStandings copy = list;
  list.Change(0).name = "x";
  copy.Change(2).name = "z";
  EXPECT_EQ(NamesOf(list), "xbc");
  EXPECT_EQ(NamesOf(copy), "abz");
  EXPECT_EQ(&list[1], &copy[1]);
}

TEST(GrantStandingsTest, WhatIsAddedOrClearedIsOfOneListOnly) {
  GrantStandings list = {{.name = "a"}};
  GrantStandings copy = list;
  copy.emplace_back().name = "b";
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(NamesOf(copy), "ab");
}

TEST(GrantStandingsTest, ListsAreEqualIfTheirStandingsAre) {
  const std::vector<GrantStanding> same = {{.name = "a", .used = 1}, {.name = "b"}};
  GrantStandings list = same;
  EXPECT_EQ(list, GrantStandings(same));
  list.Change(0).used = 2;
  EXPECT_NE(list, GrantStandings(same));
  EXPECT_NE(GrantStandings(), GrantStandings(same));
}

}  // namespace
}  // namespace priorityd::priority
