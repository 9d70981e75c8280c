#include "engine/priority/site/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PolicyTest, TheDefaultsAreSlurms) {
  const Policy policy;
  EXPECT_EQ(policy.half_life, absl::Hours(168));
  EXPECT_EQ(policy.max_age, absl::Hours(168));
  EXPECT_EQ(policy.calc_period, absl::Minutes(5));
  EXPECT_EQ(policy.weight_fair_share, 0u);
  EXPECT_EQ(policy.dampening_factor, 1);
  EXPECT_EQ(ResetPeriodName(policy), "NONE");
  EXPECT_THAT(PriorityFlagNames(policy), IsEmpty());
}

TEST(PolicyTest, AnInfiniteHalfLifeMeansNoDecay) {
  Policy policy;
  EXPECT_TRUE(policy.decays());
  policy.half_life = absl::InfiniteDuration();
  EXPECT_FALSE(policy.decays());
}

TEST(PolicyTest, FlagsAreSortedAndDecideTheAlgorithm) {
  Policy policy;
  policy.small_relative_to_time = policy.accrue_always = policy.no_normal_qos = true;
  policy.algorithm = FairShareAlgorithm::kClassic;
  EXPECT_THAT(PriorityFlagNames(policy), ElementsAre("ACCRUE_ALWAYS", "NO_FAIR_TREE",
                                                     "NO_NORMAL_QOS", "SMALL_RELATIVE_TO_TIME"));
  policy = Policy();
  policy.algorithm = FairShareAlgorithm::kDepthOblivious;
  EXPECT_THAT(PriorityFlagNames(policy), ElementsAre("DEPTH_OBLIVIOUS"));
}

TEST(PolicyTest, AnIntervalIsNamedInDays) {
  Policy policy;
  policy.reset_period = ResetPeriod::kInterval;
  policy.reset_interval = absl::Hours(28 * 24) + absl::Seconds(3723);
  EXPECT_EQ(ResetPeriodName(policy), "28-01:02:03");
}

TEST(PolicyTest, NamesAreThoseOfThePolicyFile) {
  EXPECT_EQ(FairShareAlgorithmName(FairShareAlgorithm::kFairTree), "fair_tree");
  EXPECT_EQ(FairShareAlgorithmName(FairShareAlgorithm::kLinear), "linear");
  EXPECT_EQ(FairTreeTiesName(FairTreeTies::kMerge), "merge");
  EXPECT_EQ(FairTreeTiesName(FairTreeTies::kSlurm), "slurm");
}

}  // namespace
}  // namespace priorityd::priority
