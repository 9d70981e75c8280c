#include "client/slurm/tables/sprio_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

using ::testing::HasSubstr;

// As Slurm 22.05.8 printed it; job 11's priority was set by scontrol.
constexpr char kSprio[] =
    "JOBID|PARTITION|PRIORITY|SITE|NICE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOS|TRES|AGE|ASSOC|"
    "FAIRSHARE|JOBSIZE|PARTITION|QOS|TRES\n"
    "15|gpu|2651|0|-7|0.0165278|0.0000000|0.1666667|0.4062500|0.5000000|0.1000000|cpu=0.62,mem=0."
    "06|"
    "17|0|1667|203|500|200|cpu=62,mem=3\n"
    "11|main|5000|0|0|0.0000000|0.0000000|0.0000000|0.0000000|0.0000000|0.0000000||0|0|0|0|0|0|\n";

TEST(SprioTableTest, ReadsFactorsAndContributions) {
  const auto rows = ReadSprioTable(kSprio);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2);
  const SprioRow& row = rows->front();
  EXPECT_EQ(row.job_id, "15");
  EXPECT_EQ(row.partition, "gpu");
  EXPECT_EQ(row.priority, 2651);
  EXPECT_EQ(row.nice, -7);
  EXPECT_EQ(row.factors.at("job_size"), 0.40625);
  EXPECT_EQ(row.contributions.at("fair_share"), 1667);
  EXPECT_EQ(row.tres_contributions.at("cpu"), 62);
  EXPECT_FALSE(row.IsSetByHand());
}

TEST(SprioTableTest, APriorityWithoutFactorsWasSetByHand) {
  EXPECT_TRUE(ReadSprioTable(kSprio)->back().IsSetByHand());
}

// PriorityWeightTRES may be negative.
TEST(SprioTableTest, ContributionsOfTresMayBeNegative) {
  std::string text = kSprio;
  text.replace(text.find("cpu=62,mem=3"), 12, "cpu=-6,mem=3");
  const auto rows = ReadSprioTable(text);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->front().tres_contributions.at("cpu"), -6);
  text.replace(text.find("cpu=-6,mem=3"), 12, "cpu=so,mem=3");
  EXPECT_THAT(ReadSprioTable(text).status().message(), HasSubstr("sprio line 2"));
}

TEST(SprioTableTest, ARowOfSomethingElseIsNamed) {
  EXPECT_THAT(ReadSprioTable("JOBID|PARTITION|PRIORITY|\n7|main|x\n").status().message(),
              HasSubstr("sprio line 2: got \"7|main|x\""));
}

}  // namespace
}  // namespace priorityd::tables
