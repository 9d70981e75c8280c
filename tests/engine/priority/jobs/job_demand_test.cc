#include "engine/priority/jobs/job_demand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_table.h"
#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::Pair;

class DefaultMemoryTest : public RankingTest {
 protected:
  // DefMemPerCPU=4096, and DefMemPerNode=10000 in the partition `fast`.
  DefaultMemoryTest() {
    site_.source.policy.default_memory = {.per_cpu = 4096};
    site_.source.policy.partition_memory["fast"] = {.per_node = 10000};
  }

  // A job of 4 CPUs on 2 nodes that names no memory.
  Job& AddJob(const char* id) {
    Job& job = Add(id);
    job.cpus = 4;
    job.nodes = 2;
    return job;
  }
};

TEST_F(DefaultMemoryTest, IsForEachCpuOrForEachNode) {
  const Job job = AddJob("1");
  EXPECT_EQ(TresCountOf(job, "mem", {.per_cpu = 4096}), 16384);
  EXPECT_EQ(TresCountOf(job, "mem", {.per_node = 10000}), 20000);
  EXPECT_EQ(TresCountOf(job, "mem"), 0);
  TresMap tres;
  FillTres(job, tres, {.per_cpu = 4096});
  EXPECT_THAT(tres, ElementsAre(Pair("cpu", 4), Pair("mem", 16384), Pair("node", 2)));
  FillTres(job, tres);
  EXPECT_THAT(tres, ElementsAre(Pair("cpu", 4), Pair("mem", 0), Pair("node", 2)));
}

TEST_F(DefaultMemoryTest, IsNotForAJobThatNamesMemoryAlsoNone) {
  for (const double named : {0.0, 5.0}) {
    Job job = AddJob("1");
    job.tres.emplace_back("MEM", named);
    EXPECT_FALSE(TakesDefaultMemory(job));
    EXPECT_EQ(TresCountOf(job, "mem", {.per_cpu = 4096}), named);
    TresMap tres;
    FillTres(job, tres, {.per_cpu = 4096});
    EXPECT_EQ(tres["mem"], named);
  }
}

// TRESBillingWeights=CPU=1,Mem=0.25G: 4 + 0.25 * 16 = 8.
TEST_F(DefaultMemoryTest, OfThePartitionElseOfTheClusterIsBilled) {
  for (Partition& partition : site_.source.partitions) {
    partition.billing_weights = {{"cpu", 1}, {"mem", 0.25 / 1024}};
  }
  const Job job = AddJob("1");
  snapshot_ = site_.Build();
  JobBilling billing(*snapshot_);
  EXPECT_EQ(billing.Count(job, snapshot_->FindPartition("main")), 8);
  // 4 + 20000 / 4096 = 8.88, truncated.
  EXPECT_EQ(billing.Count(job, snapshot_->FindPartition("fast")), 8);
  site_.source.policy.partition_memory["fast"] = {};  // None: not the cluster's.
  snapshot_ = site_.Build();
  EXPECT_EQ(JobBilling(*snapshot_).Count(job, snapshot_->FindPartition("fast")), 4);
}

// `main` has 128000 MB, `fast` 64000: 1000 * 16384 / 128000 and 1000 * 20000 / 64000.
TEST_F(DefaultMemoryTest, CountsForPriorityWeightTresInEachPartition) {
  site_.source.policy.weight_tres = {{"mem", 1000}};
  AddJob("1").partitions = {"main", "fast"};
  AddJob("2").tres = {{"mem", 64000}};
  RankJobs();
  ASSERT_EQ(ranking_.ranked.size(), 3u);
  std::vector<double> contributions;
  for (const RankedRow& row : ranking_.ranked) {
    contributions.push_back(row.contributions->tres[0]);
  }
  EXPECT_THAT(contributions, ElementsAre(500, 312.5, 128));
  EXPECT_EQ(ranking_.ranked[2].priority, 128u);
}

TEST_F(DefaultMemoryTest, CountsForMaxMemPerNode) {
  AddJob("1");  // 8192 on each of two nodes.
  site_.partition("main").max_mem_per_node = 8192;
  EXPECT_THAT(Ineligible(), ElementsAre());
  site_.partition("main").max_mem_per_node = 8191;
  EXPECT_THAT(Ineligible(), ElementsAre("1: MaxMemPerLimit"));
}

TEST_F(DefaultMemoryTest, CountsForLimitsInEachPartition) {
  site_.association("physics").limits.others = {{LimitKind::kGrpTres, "mem", 18000}};
  AddJob("1").partitions = {"main"};
  AddJob("2").partitions = {"fast"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpMemLimit: 0 + 0 + 20000 > 18000"));
}

}  // namespace
}  // namespace priorityd::priority
