#include "engine/slurm/conf/flag_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/slurm/parsing.h"
#include "tests/engine/slurm/slurm_conf_parsing.h"

namespace priorityd::slurm {
namespace {

using testing::HasSubstr;

TEST(FlagParametersTest, EveryFlagSetsItsField) {
  const priority::Policy policy = PolicyOf(
      "PriorityFlags=\"accrue_always,CALCULATE_RUNNING, INCR_ONLY ,MAX_TRES,MAX_TRES_GRES,"
      "NO_NORMAL_ASSOC,NO_NORMAL_PART,SMALL_RELATIVE_TO_TIME\"\n");
  EXPECT_TRUE(policy.accrue_always);
  EXPECT_TRUE(policy.calculate_running);
  EXPECT_TRUE(policy.incr_only);
  EXPECT_TRUE(policy.max_tres);
  EXPECT_TRUE(policy.max_tres_gres);
  EXPECT_TRUE(policy.no_normal_assoc);
  EXPECT_TRUE(policy.no_normal_part);
  EXPECT_FALSE(policy.no_normal_qos);
  EXPECT_FALSE(policy.no_normal_tres);
  EXPECT_TRUE(policy.small_relative_to_time);
  const priority::Policy all = PolicyOf("PriorityFlags=NO_NORMAL_ALL\n");
  EXPECT_TRUE(all.no_normal_assoc && all.no_normal_part && all.no_normal_qos && all.no_normal_tres);
  EXPECT_FALSE(all.max_tres);
  EXPECT_FALSE(PolicyOf("PriorityFlags=\n").incr_only);
}

TEST(FlagParametersTest, AnUnknownFlagIsALossWithItsLineAndTheKnownOnes) {
  const SlurmConf conf = Parsed("\nPriorityFlags=MAX_TRES,FOO\n");
  EXPECT_TRUE(conf.policy.max_tres);
  EXPECT_THAT(
      conf.losses,
      testing::ElementsAre(
          "slurm.conf line 2: PriorityFlags: got \"FOO\", which slurmctld ignores, want one of "
          "ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, MAX_TRES_GRES, "
          "NO_FAIR_TREE, NO_NORMAL_ALL, NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS, "
          "NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME"));
}

// FAIR_TREE was the flag of what is so by itself since Slurm 19.05.
TEST(FlagParametersTest, TheOldNameOfTheDefaultHasNoConsequence) {
  using enum priority::FairShareAlgorithm;
  const SlurmConf conf = Parsed("PriorityFlags=ACCRUE_ALWAYS,fair_tree\n");
  EXPECT_TRUE(conf.policy.accrue_always);
  EXPECT_EQ(conf.policy.algorithm, kFairTree);
  EXPECT_TRUE(conf.losses.empty() && conf.warnings.empty());
  EXPECT_EQ(Parsed("PriorityFlags=DEPTH_OBLIVIOUS,FAIR_TREE\n").policy.algorithm, kDepthOblivious);
}

TEST(FlagParametersTest, TheFlagOfSlurm1411AloneIsALoss) {
  const SlurmConf conf = Parsed("PriorityFlags=TICKET_BASED,FAIR_TREE\n");
  EXPECT_EQ(conf.policy.algorithm, priority::FairShareAlgorithm::kFairTree);
  EXPECT_THAT(conf.losses, testing::ElementsAre(
                               testing::HasSubstr("got \"TICKET_BASED\", only in Slurm 14.11")));
}

// slurmctld looks for the names anywhere in the value.
TEST(FlagParametersTest, AWordIsReadAsWhatItContainsAndALoss) {
  const SlurmConf conf = Parsed("PriorityFlags=MAX_TRES_GRES;NO_FAIR_TREE|INCR_ONLY\n");
  EXPECT_TRUE(conf.policy.max_tres_gres && conf.policy.incr_only);
  EXPECT_FALSE(conf.policy.max_tres);
  EXPECT_EQ(conf.policy.algorithm, priority::FairShareAlgorithm::kClassic);
  EXPECT_EQ(conf.losses.size(), 1u);
}

TEST(FlagParametersTest, TheAlgorithmComesFromTheFlagsOrByName) {
  using enum priority::FairShareAlgorithm;
  EXPECT_EQ(PolicyOf("PriorityFlags=NO_FAIR_TREE").algorithm, kClassic);
  EXPECT_EQ(PolicyOf("PriorityFlags=DEPTH_OBLIVIOUS").algorithm, kDepthOblivious);
  EXPECT_EQ(PolicyOf("PriorityFlags=NO_FAIR_TREE,DEPTH_OBLIVIOUS").algorithm, kDepthOblivious);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=linear").algorithm, kLinear);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=Classic").algorithm, kClassic);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=linear\nPriorityFlags=NO_FAIR_TREE").algorithm, kLinear);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=depth_oblivious\nPriorityFlags=NO_FAIR_TREE").algorithm,
            kDepthOblivious);
}

TEST(FlagParametersTest, AnAlgorithmAgainstTheFlagsIsAnError) {
  EXPECT_EQ(ErrorOf("PriorityFlags=NO_FAIR_TREE\nFairShareAlgorithm=fair_tree\n"),
            "slurm.conf line 2: FairShareAlgorithm: got \"fair_tree\" against "
            "PriorityFlags=\"NO_FAIR_TREE\" at slurm.conf line 1, want the two to agree");
  for (const char* algorithm : {"fair_tree", "classic", "linear"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("FairShareAlgorithm=", algorithm,
                                     "\nPriorityFlags=DEPTH_OBLIVIOUS\n")),
                HasSubstr("want the two to agree"));
  }
}

}  // namespace
}  // namespace priorityd::slurm
