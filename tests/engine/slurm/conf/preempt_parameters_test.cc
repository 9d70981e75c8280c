#include "engine/slurm/conf/preempt_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

TEST(PreemptParametersTest, PreemptionIsByQosOrByPartition) {
  EXPECT_TRUE(PolicyOf("PreemptType=preempt/qos").preempt_by_qos);
  EXPECT_TRUE(PolicyOf("PreemptType=preempt/partition_prio").preempt_by_partition);
  EXPECT_FALSE(PolicyOf("PreemptType=preempt/none").preempt_by_qos);
  EXPECT_EQ(ErrorOf("PreemptType=preempt/luck"),
            "slurm.conf line 1: PreemptType: got \"preempt/luck\", want preempt/none, preempt/qos "
            "or preempt/partition_prio");
}

TEST(PreemptParametersTest, AnyModeButOffLetsJobsBePreempted) {
  EXPECT_FALSE(ParsePreemptMode("off").value());
  EXPECT_TRUE(ParsePreemptMode("Suspend, gang").value());
  EXPECT_EQ(PolicyOf("PreemptMode=\"Suspend, gang\"").preempt_mode, "GANG,SUSPEND");
  EXPECT_EQ(ErrorOf("PreemptMode=SUSPEND,kill"),
            "slurm.conf line 1: PreemptMode: got \"kill\", want OFF, CANCEL, GANG, PRIORITY, "
            "REQUEUE, SUSPEND or WITHIN");
}

TEST(PreemptParametersTest, WordsThatChangeWhoIsPreempted) {
  const auto policy = PolicyOf(
      "PreemptParameters=min_exempt_priority=5000,"
      "Youngest_First,reorder_count=3,reclaim_licenses");
  EXPECT_EQ(policy.min_exempt_priority, 5000u);
  EXPECT_TRUE(policy.youngest_first);
  EXPECT_TRUE(policy.reclaim_licenses);
  EXPECT_EQ(PolicyOf("PreemptParameters=strict_order").min_exempt_priority, std::nullopt);
  EXPECT_EQ(ErrorOf("PreemptParameters=min_exempt_priority=high"),
            "slurm.conf line 1: PreemptParameters: got \"min_exempt_priority=high\", want "
            "min_exempt_priority=NUMBER");
}

}  // namespace
}  // namespace priorityd::slurm
