#include "engine/slurm/conf/node_kinds.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/slurm/words/hostlist.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<NodeKind> KindsOf(const std::string& text) {
  auto kinds = ReadNodeKinds({{"slurm.conf", text}});
  EXPECT_TRUE(kinds.ok()) << kinds.status();
  return kinds.ok() ? *kinds : std::vector<NodeKind>();
}

TEST(NodeKindsTest, NodesOfALineAreApartWhereTheirPartitionsAre) {
  const auto kinds = KindsOf(
      "NodeName=DEFAULT CPUs=8 RealMemory=16000\n"
      "NodeName=n[01-10]\n"
      "NodeName=g[1-2] CPUs=16 Gres=gpu:a100:4\n"
      "NodeName=later[1-9] State=FUTURE\n"
      "PartitionName=DEFAULT Nodes=ALL\n"
      "PartitionName=work\n"
      "PartitionName=osg Nodes=n[01-03]\n"
      "PartitionName=gpu Nodes=g1,g2\n");
  ASSERT_EQ(kinds.size(), 3);
  EXPECT_EQ(kinds[0].hosts, "n[04-10]");
  EXPECT_THAT(kinds[0].partitions, ElementsAre("work"));
  EXPECT_THAT(kinds[0].tres, ElementsAre(Pair("cpu", 8), Pair("mem", 16000)));
  EXPECT_EQ(kinds[1].hosts, "n[01-03]");
  EXPECT_THAT(kinds[1].partitions, ElementsAre("work", "osg"));
  EXPECT_EQ(kinds[2].hosts, "g[1-2]");
  EXPECT_THAT(kinds[2].partitions, ElementsAre("work", "gpu"));
  EXPECT_EQ(kinds[2].tres.at("gres/gpu:a100"), 4);
}

TEST(NodeKindsTest, ALineOfDownDrainOrFailRunsNoFurtherJobs) {
  const auto state = [](const std::string& value) { return LineStateOf({{"state", value}}); };
  EXPECT_EQ(LineStateOf({}), NodeLineState::kUp);
  for (const char* up : {"UNKNOWN", "idle", "CLOUD"}) EXPECT_EQ(state(up), NodeLineState::kUp);
  EXPECT_EQ(state("down"), NodeLineState::kDown);
  for (const char* drain : {"DRAIN", "drained", "CLOUD+DRAIN"}) {
    EXPECT_EQ(state(drain), NodeLineState::kDrain);
  }
  for (const char* fail : {"FAIL", "FAILING"}) EXPECT_EQ(state(fail), NodeLineState::kFail);
}

TEST(NodeKindsTest, SettingsAreThoseOfTheLineAndOfDefaultLines) {
  const auto kinds = KindsOf(
      "NodeName=DEFAULT CPUs=8 Weight=10 Feature=fast\n"
      "NodeName=n1\n"
      "NodeName=d1 State=DOWN Reason=\"power supply\" Weight=2\n");
  ASSERT_EQ(kinds.size(), 2);
  EXPECT_THAT(kinds[0].settings,
              ElementsAre(Pair("cpus", "8"), Pair("feature", "fast"), Pair("weight", "10")));
  EXPECT_EQ(kinds[1].settings.at("reason"), "power supply");
  EXPECT_EQ(kinds[1].settings.at("state"), "DOWN");
  EXPECT_EQ(kinds[1].settings.at("weight"), "2");
}

TEST(NodeKindsTest, MemoryThatNoLineNamesIsZero) {
  const auto kinds = KindsOf("NodeName=n1 CPUs=8\n");
  ASSERT_EQ(kinds.size(), 1);
  EXPECT_THAT(kinds[0].tres, ElementsAre(Pair("cpu", 8)));
  EXPECT_THAT(kinds[0].partitions, IsEmpty());
}

TEST(NodeKindsTest, FaultsNameFileAndLine) {
  const auto kinds = ReadNodeKinds({{"slurm.conf", "PriorityType=x\nNodeName=n[1- CPUs=8\n"}});
  EXPECT_THAT(std::string(kinds.status().message()), HasSubstr("slurm.conf line 2"));
}

TEST(CompressHostsTest, WhatIsExpandedAgainIsTheSame) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> hosts;
    for (int i = 0; i < 30; ++i) {
      const char* prefix = random() % 2 == 0 ? "n" : "rack1-";
      std::string number = absl::StrCat(random() % 40);
      if (random() % 3 == 0) number.insert(0, 3 - number.size(), '0');
      hosts.push_back(random() % 9 == 0 ? absl::StrCat("login", std::string(1 + i, 'x'))
                                        : prefix + number);
    }
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    const std::string expression = CompressHosts(hosts);
    auto expanded = ExpandHostlist(expression);
    ASSERT_TRUE(expanded.ok()) << expression;
    std::sort(expanded->begin(), expanded->end());
    ASSERT_EQ(*expanded, hosts) << expression;
  }
}

}  // namespace
}  // namespace priorityd::slurm
