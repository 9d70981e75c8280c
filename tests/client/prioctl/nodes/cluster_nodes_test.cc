#include "client/prioctl/nodes/cluster_nodes.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/nodes/captured_nodes.h"

namespace priorityd::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kConf[] =
    "NodeName=n[1-3,10] CPUs=8 RealMemory=8000\n"
    "NodeName=b1 Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2\n"
    "NodeName=x1 CPUs=8 State=DRAIN\n"
    "NodeName=y1 CPUs=8 State=FAIL\n"
    "PartitionName=work Nodes=n[1-3,10],b1,x1,y1 Default=YES\n"
    "PartitionName=few Nodes=n1\n";

ClusterNodes Build(const ::priority::v1::ListJobsResponse& jobs, bool hides_jobs = false) {
  return BuildClusterNodes(LinesOf(kConf), PartitionsOf(kConf).partitions(), jobs.jobs(),
                           hides_jobs);
}

std::map<std::string, NodeState> States(const ClusterNodes& cluster) {
  std::map<std::string, NodeState> states;
  for (const Node& node : cluster.nodes) states[node.name] = node.state;
  return states;
}

TEST(ClusterNodesTest, NodesAndPartitionsAreInSlurmsOrder) {
  const ClusterNodes cluster = Build({});
  std::vector<std::string> names;
  for (const Node& node : cluster.nodes) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("b1", "n1", "n2", "n3", "n10", "x1", "y1"));
  EXPECT_EQ(cluster.partitions[0].name(), "work") << "of the lines, not of the answer";
  EXPECT_THAT(cluster.partitions[1].nodes, ElementsAre(1));
}

// Four nodes share 20 CPUs and 4000 MB, five each.
TEST(ClusterNodesTest, AJobIsSpreadEvenlyOverItsNodes) {
  ::priority::v1::ListJobsResponse jobs;
  *jobs.add_jobs() = RunningJob("1", 20, 4000, "work", "n[1-3,10]");
  *jobs.add_jobs() = RunningJob("2", 3, 100, "work", "n3");
  const ClusterNodes cluster = Build(jobs);
  EXPECT_EQ(cluster.nodes[1].allocated_cpus, 5);
  EXPECT_EQ(cluster.nodes[1].allocated_memory, 1000);
  EXPECT_EQ(cluster.nodes[3].allocated_cpus, 8);
  const auto states = States(cluster);
  EXPECT_EQ(states.at("n1"), NodeState::kMixed);
  EXPECT_EQ(states.at("n3"), NodeState::kAllocated);
  EXPECT_EQ(states.at("b1"), NodeState::kIdle);
}

TEST(ClusterNodesTest, ADrainedNodeWithJobsIsDraining) {
  ::priority::v1::ListJobsResponse jobs;
  *jobs.add_jobs() = RunningJob("1", 1, 1, "work", "x1");
  EXPECT_EQ(States(Build(jobs)).at("x1"), NodeState::kDraining);
  EXPECT_EQ(States(Build({})).at("x1"), NodeState::kDrained);
  EXPECT_EQ(States(Build({})).at("y1"), NodeState::kFail);
}

TEST(ClusterNodesTest, AJobWithoutNodesLeavesThoseOfItsPartitionInDoubt) {
  ::priority::v1::ListJobsResponse jobs;
  *jobs.add_jobs() = RunningJob("1", 1, 1, "few", "");
  EXPECT_THAT(States(Build(jobs)),
              ElementsAre(Pair("b1", NodeState::kIdle), Pair("n1", NodeState::kUnknown),
                          Pair("n10", NodeState::kIdle), Pair("n2", NodeState::kIdle),
                          Pair("n3", NodeState::kIdle), Pair("x1", NodeState::kDrained),
                          Pair("y1", NodeState::kFail)));
  // Of a node that no line has, nothing follows either.
  *jobs.mutable_jobs(0) = RunningJob("1", 1, 1, "few", "elsewhere");
  EXPECT_EQ(States(Build(jobs)).at("n1"), NodeState::kUnknown);
  // The default partition, where the job names none.
  jobs.mutable_jobs(0)->mutable_job()->clear_partitions();
  EXPECT_EQ(States(Build(jobs)).at("n2"), NodeState::kUnknown);
  EXPECT_EQ(States(Build({}, true)).at("b1"), NodeState::kUnknown) << "hidden jobs are anywhere";
}

TEST(ClusterNodesTest, SocketsAreThoseOfTheLineOrOnePerCpu) {
  const ClusterNodes cluster = Build({});
  EXPECT_EQ(cluster.nodes[0].Sockets(), 4);
  EXPECT_EQ(cluster.nodes[0].Cores(), 4);
  EXPECT_EQ(cluster.nodes[0].Threads(), 2);
  EXPECT_EQ(cluster.nodes[0].cpus, 32);
  EXPECT_EQ(cluster.nodes[1].Sockets(), 8);
}

}  // namespace
}  // namespace priorityd::nodes
