#include "engine/priority/site/capacity.h"

#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

// 4 nodes of 96 CPUs and 4 GPUs.
Cluster FourNodes() {
  return {.name = "c", .nodes = 4, .cpus = 384, .tres = {{"mem", 2000}, {"gres/gpu", 16}}};
}

TEST(CapacityTest, TotalsAreTheLargerOnesOfTheClusterAndItsPartitions) {
  const Partition old = {.name = "old", .nodes = 9, .tres = {{"cpu", 100}, {"mem", 3000}}};
  const Capacity capacity = CapacityOf(Policy(), FourNodes(), {old});
  EXPECT_EQ(capacity.totals, (TresMap{{"cpu", 384}, {"node", 9}, {"mem", 3000}, {"gres/gpu", 16}}));
}

// slurm.conf(5), RealMemory: the default is 1.
TEST(CapacityTest, MemoryThatNoNodeStatesHasNoTotal) {
  Cluster cluster = FourNodes();
  cluster.tres["mem"] = 4;
  EXPECT_EQ(CapacityOf(Policy(), cluster, {}).TotalOf("mem"), 0);
  cluster.tres["mem"] = 5;
  EXPECT_EQ(CapacityOf(Policy(), cluster, {}).TotalOf("mem"), 5);
}

TEST(CapacityTest, AGresOfATypeHasTheTotalOfItsName) {
  Cluster cluster = FourNodes();
  cluster.tres["gres/gpu:a100"] = 8;
  const Capacity capacity = CapacityOf(Policy(), cluster, {});
  EXPECT_EQ(capacity.TotalOf("gres/gpu:a100"), 8);
  EXPECT_EQ(capacity.TotalOf("gres/gpu:h100"), 16);
  EXPECT_EQ(capacity.TotalOf("license/matlab"), 0);
}

// slurm.conf(5), TRESBillingWeights: the sum, or with MAX_TRES the largest one of a node's.
TEST(CapacityTest, BillingIsThatOfTheDearestPartition) {
  const Partition cheap = {.name = "cheap", .billing_weights = {{"cpu", 0.5}}};
  const Partition dear = {.name = "dear", .billing_weights = {{"cpu", 2}, {"gres/gpu", 100}}};
  EXPECT_EQ(CapacityOf(Policy(), FourNodes(), {}).billing, 384);
  EXPECT_EQ(CapacityOf(Policy(), FourNodes(), {cheap}).billing, 384);
  EXPECT_EQ(CapacityOf(Policy(), FourNodes(), {cheap, dear}).billing, 2 * 384 + 100 * 16);
  Policy max_tres;
  max_tres.max_tres = true;
  EXPECT_EQ(CapacityOf(max_tres, FourNodes(), {dear}).billing, 100 * 16);
}

TEST(CapacityTest, ADiscountDoesNotLowerWhatAPartOfTheClusterMayCost) {
  const Partition partition = {.name = "p", .billing_weights = {{"cpu", 2}, {"mem", -1}}};
  EXPECT_EQ(CapacityOf(Policy(), FourNodes(), {partition}).billing, 768);
}

TEST(CapacityTest, WithoutATotalOfWhatHasAPriceBillingIsNotKnown) {
  const Partition partition = {.name = "p", .billing_weights = {{"cpu", 1}, {"license/x", 5}}};
  const Capacity capacity = CapacityOf(Policy(), FourNodes(), {partition});
  EXPECT_EQ(capacity.billing, 0);
  EXPECT_EQ(capacity.unknown, "license/x");
  EXPECT_EQ(CapacityOf(Policy(), Cluster(), {}).unknown, "cpu");
  EXPECT_EQ(CapacityOf(Policy(), FourNodes(), {}).unknown, "");
}

}  // namespace
}  // namespace priorityd::priority
