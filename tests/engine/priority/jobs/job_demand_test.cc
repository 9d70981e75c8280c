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
    site_.source.policy.job_defaults.memory = {.per_cpu = 4096};
    site_.source.policy.partition_rules["fast"].memory = DefaultMemory{.per_node = 10000};
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
  EXPECT_EQ(TresCountOf(job, "mem", {.memory = {.per_cpu = 4096}}), 16384);
  EXPECT_EQ(TresCountOf(job, "mem", {.memory = {.per_node = 10000}}), 20000);
  EXPECT_EQ(TresCountOf(job, "mem"), 0);
  TresMap tres;
  FillTres(job, tres, {.memory = {.per_cpu = 4096}});
  EXPECT_THAT(tres, ElementsAre(Pair("cpu", 4), Pair("mem", 16384), Pair("node", 2)));
  FillTres(job, tres);
  EXPECT_THAT(tres, ElementsAre(Pair("cpu", 4), Pair("mem", 0), Pair("node", 2)));
}

TEST_F(DefaultMemoryTest, IsNotForAJobThatNamesMemoryAlsoNone) {
  for (const double named : {0.0, 5.0}) {
    Job job = AddJob("1");
    job.tres.emplace_back("MEM", named);
    EXPECT_FALSE(TakesDefaultMemory(job));
    EXPECT_EQ(TresCountOf(job, "mem", {.memory = {.per_cpu = 4096}}), named);
    TresMap tres;
    FillTres(job, tres, {.memory = {.per_cpu = 4096}});
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
  site_.source.policy.partition_rules["fast"].memory = DefaultMemory{};  // None: not the cluster's.
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

// slurm.conf(5): "Default real memory size available per allocated GPU", of the type or not.
TEST(JobDefaultsTest, MemoryPerGpuIsForJobsWithGpus) {
  const JobDefaults defaults = {.memory = {.per_cpu = 1000}, .memory_per_gpu = 8000};
  Job job;
  job.cpus = 4;
  EXPECT_EQ(TresCountOf(job, "mem", defaults), 4000);
  job.tres = {{"GRES/gpu:a100", 2}, {"gres/gpu:v100", 1}};
  EXPECT_EQ(GpusOf(job), 3);
  EXPECT_EQ(TresCountOf(job, "mem", defaults), 24000);
  job.tres.emplace_back("gres/gpu", 4);
  EXPECT_EQ(TresCountOf(job, "mem", defaults), 32000);
  job.tres.emplace_back("mem", 5);
  EXPECT_EQ(TresCountOf(job, "mem", defaults), 5);
}

// "This value is used only if the job didn't specify --cpus-per-task and --cpus-per-gpu."
TEST(JobDefaultsTest, CpusPerGpuAreForJobsThatNameNoCpus) {
  const JobDefaults defaults = {.memory = {.per_cpu = 1000}, .cpus_per_gpu = 6};
  Job job;
  EXPECT_EQ(CpusOf(job, defaults), 0);
  job.tres = {{"gres/gpu", 2}};
  EXPECT_EQ(CpusOf(job, defaults), 12);
  EXPECT_EQ(TresCountOf(job, "cpu", defaults), 12);
  EXPECT_EQ(TresCountOf(job, "mem", defaults), 12000);
  TresMap tres;
  FillTres(job, tres, defaults);
  EXPECT_THAT(
      tres, ElementsAre(Pair("cpu", 12), Pair("gres/gpu", 2), Pair("mem", 12000), Pair("node", 1)));
  job.cpus = 1;
  EXPECT_EQ(CpusOf(job, defaults), 1);
}

// "that job's count of CPUs per task will try to automatically increase": slurmctld gives a job of
// --mem=9000 on each node 5 CPUs there under MaxMemPerCPU=2000, as 4 carry 8000.
TEST(JobDefaultsTest, MaxMemPerCpuRaisesTheCpusOfEachNode) {
  const JobDefaults defaults = {.memory = {.per_node = 3000}, .max_memory_per_cpu = 2000};
  Job job;
  job.nodes = 2;
  job.cpus = 4;
  job.tres = {{"mem", 18000}};
  EXPECT_EQ(CpusOf(job, defaults), 10);
  EXPECT_EQ(TresCountOf(job, "cpu", defaults), 10);
  job.cpus = 11;
  EXPECT_EQ(CpusOf(job, defaults), 11);
  job.tres.clear();
  job.cpus = 1;
  EXPECT_EQ(CpusOf(job, defaults), 4) << "3000 MB by default want 2 CPUs on each of 2 nodes";
}

TEST_F(DefaultMemoryTest, CpusThatMemoryWantsAreBilledAndMayNotFit) {
  site_.source.policy.partition_rules["fast"].max_memory_per_cpu = 2000;
  site_.partition("main").tres["cpu"] = site_.partition("fast").tres["cpu"] = 9;
  Job& job = Add("1");
  job.cpus = 1;
  job.tres = {{"mem", 19000}};
  snapshot_ = site_.Build();
  JobBilling billing(*snapshot_);
  EXPECT_EQ(billing.Count(job, snapshot_->FindPartition("main")), 1);
  EXPECT_EQ(billing.Count(job, snapshot_->FindPartition("fast")), 10);
  EXPECT_THAT(Ineligible(), ElementsAre());
  job.partitions = {"fast"};
  EXPECT_THAT(Ineligible(), ElementsAre("1: PartitionConfig"));
}

}  // namespace
}  // namespace priorityd::priority
