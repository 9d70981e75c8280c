// Nodes, places and demands, counted by hand.
#include "engine/scheduling/described_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DescribedClusterTest : public testing::Test {
 protected:
  // Types 0 and 1: nodes with and without GPUs; only the partition `main` has the first.
  DescribedClusterTest() {
    site_.description.node_types = {
        {.name = "gpu",
         .nodes = {"g1", "g2"},
         .partitions = {"main"},
         .tres = {{"cpu", 32}, {"gres/gpu:a100", 2}, {"gres/gpu:v100", 2}}},
        {.name = "plain", .nodes = {"p1"}, .partitions = {}, .tres = {{"cpu", 8}, {"mem", 1000}}}};
  }

  const DescribedCluster& cluster() {
    if (site_.cluster == nullptr) site_.Build();
    return *site_.cluster;
  }
  int partition(const char* name) { return site_.snapshot->FindPartition(name); }

  DescribedSite site_;
};

TEST_F(DescribedClusterTest, AmountsAreThousandthsAndGpusOfTypesAreGpus) {
  ASSERT_EQ(cluster().cluster().types.size(), 2u);
  const plan::Cluster& plan = cluster().cluster();
  EXPECT_EQ(plan.types[0].nodes, 2);
  // cpu, gres/gpu, then by name gres/gpu:a100, gres/gpu:v100, mem.
  EXPECT_THAT(plan.types[0].each, ElementsAre(32000, 4000, 2000, 2000, 0));
  EXPECT_THAT(plan.types[1].each, ElementsAre(8000, 0, 0, 0, 1'000'000));
  EXPECT_THAT(cluster().NodeNames({0, 2}), ElementsAre("g1", "p1"));
}

TEST_F(DescribedClusterTest, AJobWantsItsAmountsOnEachOfItsNodesRoundedUp) {
  priority::Job& job = site_.Waits("1", 10);
  job.nodes = 3;
  job.tres = {{"gres/gpu:a100", 3}};
  const plan::Request request = cluster().RequestOf(job, partition("main"));
  EXPECT_EQ(request.nodes, 3);
  EXPECT_THAT(request.per_node, ElementsAre(3334, 1000, 1000, 0, 0));
  EXPECT_EQ(cluster().Describe(request), "3 nodes of 3.334 cpu, 1 gres/gpu, 1 gres/gpu:a100");
  job.cpus = 0;  // One for each node.
  EXPECT_EQ(cluster().RequestOf(job, partition("main")).per_node[0], 1000);
}

TEST_F(DescribedClusterTest, AJobThatNamesNoMemoryWantsTheDefaultMemoryOfThePartition) {
  site_.site.source.policy.job_defaults.memory = {.per_cpu = 100};
  site_.site.source.policy.partition_rules["fast"].memory =
      priority::DefaultMemory{.per_node = 1001};
  const priority::Job job = site_.Waits("1", 8);
  EXPECT_EQ(cluster().RequestOf(job, partition("main")).per_node.back(), 800'000);
  EXPECT_EQ(cluster().RequestOf(job, partition("fast")).per_node.back(), 1'001'000);
  EXPECT_THAT(cluster().PlaceOf(job, partition("fast")).types, ElementsAre());
  priority::Job named = job;
  named.tres.emplace_back("mem", 0);
  EXPECT_EQ(cluster().RequestOf(named, partition("main")).per_node.back(), 0);
}

TEST_F(DescribedClusterTest, APlaceHasTheTypesOfThePartitionOnWhichTheJobFits) {
  priority::Job& small = site_.Waits("1", 8);
  EXPECT_THAT(cluster().PlaceOf(small, partition("main")).types, ElementsAre(0, 1));
  EXPECT_THAT(cluster().PlaceOf(small, partition("fast")).types, ElementsAre(1));
  EXPECT_THAT(cluster().PlaceOf(small, -1).types, ElementsAre(0, 1));
  small.cpus = 9;
  EXPECT_THAT(cluster().PlaceOf(small, partition("fast")).types, IsEmpty());
  small.cpus = 1;
  small.tres = {{"gres/fpga", 1}};  // No node has one.
  EXPECT_THAT(cluster().PlaceOf(small, -1).types, IsEmpty());
}

TEST_F(DescribedClusterTest, CapsAndLicensesArePools) {
  site_.description.partition_caps = {{.partition = "fast", .nodes = 4}};
  site_.description.licenses = {{"license/matlab", 10}};
  priority::Job& job = site_.Waits("1", 2);
  job.nodes = 2;
  job.tres = {{"license/matlab", 3}};
  const plan::Place place = (cluster(), cluster().PlaceOf(job, partition("fast")));
  ASSERT_EQ(place.pools.size(), 2u);
  EXPECT_EQ(place.pools[0].amount, 2000);
  EXPECT_EQ(place.pools[1].amount, 3000);
  EXPECT_TRUE(cluster().IsPartitionCap(0));
  EXPECT_FALSE(cluster().IsPartitionCap(1));
  EXPECT_EQ(cluster().DescribePool(0), "partition fast may hold 4 nodes");
  EXPECT_EQ(cluster().DescribePool(1), "there are 10 of license/matlab");
}

TEST_F(DescribedClusterTest, ResourcesCountedInBytesAreSharedExactly) {
  const double terabyte = 1e12;
  site_.description.node_types[1].tres["gres/scratch"] = terabyte;
  site_.description.licenses = {{"license/tokens", 4e10}};
  priority::Job& job = site_.Waits("1", 1);
  job.tres = {{"gres/scratch", 400e9}, {"license/tokens", 1e10}};
  const plan::Request request = (cluster(), cluster().RequestOf(job, -1));
  const plan::Amounts& each = cluster().cluster().types[1].each;
  const size_t scratch = 4;  // After cpu, gres/gpu and its two types.
  EXPECT_LE(each[scratch], 1'000'000'000'000);
  EXPECT_EQ(request.per_node[scratch] * 5, each[scratch] * 2) << "400 GB of 1 TB";
  EXPECT_EQ(cluster().Describe(request), "1 node of 1 cpu, 400000000000 gres/scratch");
  EXPECT_EQ(cluster().PlaceOf(job, -1).pools[0].amount * 4, cluster().cluster().pools[0]);
  EXPECT_EQ(cluster().DescribePool(0), "there are 40000000000 of license/tokens");
}

TEST_F(DescribedClusterTest, ARunningJobUsesNoMoreThanThereIs) {
  site_.description.licenses = {{"license/matlab", 10}};
  priority::Job& job = site_.Runs("1", 1e12, 30, "p1");
  job.tres = {{"license/matlab", 1e12}};
  const plan::RunningJob running = (cluster(), cluster().RunningOf(job, -1, priority::kNow));
  EXPECT_EQ(running.request.per_node[0], 32'000) << "the CPUs of the largest node";
  EXPECT_EQ(running.place.pools[0].amount, 10'000);
  EXPECT_GT(cluster().RequestOf(job, -1).per_node[0], 32'000) << "as a waiting job it never fits";
}

TEST_F(DescribedClusterTest, ARunningJobEndsByItsTimeLimitOrThatOfThePartition) {
  site_.site.partition("main").max_time = absl::Hours(5);
  site_.site.partition("fast").max_time = absl::Hours(5);
  site_.site.partition("fast").default_time = absl::Hours(2);
  priority::Job& job = site_.Runs("1", 1, 30, "p1");
  site_.Build();
  const auto end_in = [&](const char* name) {
    return cluster().RunningOf(job, partition(name), priority::kNow).end - priority::kNow;
  };
  EXPECT_EQ(end_in("main"), absl::Minutes(30));
  EXPECT_THAT(cluster().RunningOf(job, -1, priority::kNow).nodes, ElementsAre(2));
  job.time_limit.reset();
  EXPECT_EQ(end_in("main"), absl::Minutes(270));
  EXPECT_EQ(end_in("fast"), absl::Minutes(90));
}

TEST_F(DescribedClusterTest, ARunningJobHasTheNodesOfItsPlacementElseOfItsNodeList) {
  priority::Job& placed = site_.Runs("1", 1, 30, "p1");
  placed.node_list = "g1";
  priority::Job listed = placed;
  listed.job_id = "2";
  listed.node_list = "g[1-2],g1";
  site_.Build();
  const auto nodes = [&](const priority::Job& job) {
    return cluster().RunningOf(job, -1, priority::kNow).nodes;
  };
  EXPECT_THAT(nodes(placed), ElementsAre(2));
  EXPECT_EQ(cluster().NodeNames(nodes(listed)), (std::vector<std::string>{"g1", "g2"}));
  for (const char* unknown : {"", "g[1", "g1,elsewhere", "g[1-99999]"}) {
    listed.node_list = unknown;
    EXPECT_TRUE(nodes(listed).empty()) << unknown;
  }
}

TEST_F(DescribedClusterTest, APlacementNamesDescribedNodesAndTypes) {
  const auto snapshot = site_.site.Build();
  const auto error = [&](const JobPlacement& placement) {
    const JobPlacement placements[] = {{}, placement};
    return DescribedCluster::Make(*snapshot, site_.description, placements).status();
  };
  EXPECT_EQ(error({.job_id = "1", .node_types = {"plain"}, .nodes = {"g2"}}), absl::OkStatus());
  EXPECT_EQ(error({.job_id = "1", .node_types = {"fat"}, .nodes = {}}),
            absl::InvalidArgumentError("placements[1].node_types: got \"fat\", want types of "
                                       "description.node_types"));
  EXPECT_EQ(
      error({.job_id = "1", .node_types = {}, .nodes = {"x"}}),
      absl::InvalidArgumentError("placements[1].nodes: got \"x\", want nodes of the description"));
}

}  // namespace
}  // namespace priorityd::scheduling
