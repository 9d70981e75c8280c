#include "client/slurm/joined_shares.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;

constexpr char kOurs[] =
    "Cluster|Account|User|Partition|RawUsage\n"
    "lab|root|||100\n"
    "lab| root|root||1\n"
    "lab| physics|||60\n"
    "lab|  astro|||50\n"
    "lab|   astro|ann||30\n"
    "lab|   astro|ann|gpu|20\n"
    "lab| chem|||39\n"
    "lab|  chem|bob||39\n";

TEST(JoinSharesTest, UsageOfTheSameAssociationIsAddedAndCountsInEveryAccountAbove) {
  const char theirs[] =
      "CLUSTER: annex\n"
      "Cluster|Account|User|Partition|RawUsage\n"
      "annex|root|||1000\n"
      "annex| physics|||1000\n"
      "annex|  astro|||900\n"
      "annex|   astro|ann||500\n"
      "annex|   astro|ann|gpu|400\n";
  const auto joined = JoinShares(kOurs, {{"annex", theirs}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(*joined,
            "Cluster|Account|User|Partition|RawUsage\n"
            "lab|root|||1100\n"
            "lab| root|root||1\n"
            "lab| physics|||1060\n"  // Of which 100 are its own in annex.
            "lab|  astro|||950\n"
            "lab|   astro|ann||530\n"
            "lab|   astro|ann|gpu|420\n"
            "lab| chem|||39\n"
            "lab|  chem|bob||39\n");
}

TEST(JoinSharesTest, WhatOursDoesNotHaveCountsAtTheNearestAccountAboveIt) {
  const char theirs[] =
      "Cluster|Account|User|Partition|RawUsage\n"
      "annex|root|||77\n"
      "annex| zoology|||7\n"  // No such account: root.
      "annex|  zoology|eve||7\n"
      "annex| physics|||70\n"
      "annex|  plasma|||70\n"  // No such account: physics.
      "annex|   plasma|ann||70\n";
  const auto joined = JoinShares(kOurs, {{"annex", theirs}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(*joined, HasSubstr("lab|root|||177\n"));
  EXPECT_THAT(*joined, HasSubstr("lab| physics|||130\n"));
  EXPECT_THAT(*joined, HasSubstr("lab|  astro|||50\n"));
}

// Else chem would have less than what is below it.
TEST(JoinSharesTest, AnAccountThatStandsElsewhereCountsWhereOursHasIt) {
  const char theirs[] =
      "Cluster|Account|User|Partition|RawUsage\n"
      "annex|root|||10\n"
      "annex| chem|||10\n"
      "annex|  astro|||10\n"
      "annex|   astro|ann||10\n";
  const auto joined = JoinShares(kOurs, {{"annex", theirs}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(*joined, HasSubstr("lab| physics|||70\n"));
  EXPECT_THAT(*joined, HasSubstr("lab| chem|||39\n"));
}

TEST(JoinSharesTest, SeveralClustersCountAndWhatHasDecayedByItsWeight) {
  const char theirs[] = "Cluster|Account|User|Partition|RawUsage\nx|root|||8\nx| chem|||8\n";
  const auto joined = JoinShares(kOurs, {{"annex", theirs}, {"old", theirs, 0.25}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_THAT(*joined, HasSubstr("lab|root|||110\n"));
  EXPECT_THAT(*joined, HasSubstr("lab| chem|||49\n"));
}

TEST(JoinSharesTest, WhatCannotBeReadIsNamed) {
  const auto error = [](const std::string& theirs) {
    return std::string(JoinShares(kOurs, {{"annex", theirs}}).status().message());
  };
  const std::string heading = "Cluster|Account|User|Partition|RawUsage\n";
  EXPECT_THAT(error(heading + "annex|root|||many\n"), HasSubstr("RawUsage: got no number"));
  EXPECT_THAT(error(heading + "annex|root|||many\n"), HasSubstr("sshare -M annex"));
  EXPECT_THAT(error(heading + "annex|   astro|||1\n"), HasSubstr("blanks that fit no row above"));
  EXPECT_THAT(error(heading), HasSubstr("want that of root"));
  EXPECT_THAT(error("sshare: error\n"), HasSubstr("want a header line"));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
