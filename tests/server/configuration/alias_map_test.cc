#include "server/configuration/alias_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace priorityd::configuration {
namespace {

TEST(AliasMapTest, TheAliasOfTheSourceIsFirstThenThatOfEverySourceThenTheNameItself) {
  const AliasMap map(std::vector<storage::UserAlias>{
      {"k8s", "x", "ann"}, {"", "x", "bob"}, {"slurm", "y", "eve"}});
  EXPECT_EQ(map.Resolve("k8s", "x"), "ann");
  EXPECT_EQ(map.Resolve("slurm", "x"), "bob");
  EXPECT_EQ(map.Resolve("", "x"), "bob");
  EXPECT_EQ(map.Resolve("slurm", "y"), "eve");
  EXPECT_EQ(map.Resolve("k8s", "y"), "y");
  EXPECT_EQ(map.Resolve("k8s", ""), "");
}

TEST(AliasMapTest, TheUserOfAnAliasIsNotResolvedAgain) {
  const AliasMap map(std::vector<storage::UserAlias>{{"", "x", "y"}, {"", "y", "z"}});
  EXPECT_EQ(map.Resolve("s", "x"), "y");
}

TEST(AliasMapTest, WithoutAliasesANameIsItself) {
  const AliasMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.Resolve("s", "x"), "x");
}

}  // namespace
}  // namespace priorityd::configuration
