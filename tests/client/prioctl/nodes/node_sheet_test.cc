// `scontrol show node`, compared with what a real scontrol printed.
#include "client/prioctl/nodes/node_sheet.h"

#include <set>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/nodes/captured_nodes.h"

namespace priorityd::nodes {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> Words(const std::string& text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipWhitespace());
}

const Node& Find(const ClusterNodes& cluster, const std::string& name) {
  for (const Node& node : cluster.nodes) {
    if (node.name == name) return node;
  }
  ADD_FAILURE() << name;
  return cluster.nodes.front();
}

// Without billing, which depends on the partition, and with the state of slurmctld's that has seen
// no slurmd.
TEST(NodeSheetTest, EveryWordIsSlurms) {
  const ClusterNodes cluster = CapturedNodes(CapturedRunningJobs());
  const std::string all =
      absl::StrJoin(jobs::CapturedLines("nodes.txt", "scontrol show node"), "\n");
  for (const absl::string_view captured : absl::StrSplit(all, "\n\n")) {
    std::vector<std::string> words = Words(std::string(captured));
    if (words.empty()) continue;
    for (std::string& word : words) {
      word = absl::StrReplaceAll(
          word, {{",billing=4", ""}, {",billing=8", ""}, {"UNKNOWN+DRAIN", "IDLE+DRAIN"}});
    }
    const std::string name(absl::StripPrefix(words[0], "NodeName="));
    EXPECT_THAT(words, IsSupersetOf(Words(NodeSheet(Find(cluster, name), false)))) << name;
  }
}

TEST(NodeSheetTest, ReservationsAreInTheStateAsInSlurm) {
  const ClusterNodes cluster = CapturedReservedNodes();
  const std::string all =
      absl::StrJoin(jobs::CapturedLines("reserved_nodes.txt", "scontrol show node"), "\n");
  for (const std::string name : {"d1", "d2", "n1", "n2"}) {
    const std::string sheet = NodeSheet(Find(cluster, name), false);
    const size_t at = sheet.find("State=");
    std::string state = sheet.substr(at, sheet.find(' ', at) - at);
    if (name == "d2") state = absl::StrReplaceAll(state, {{"IDLE+DRAIN", "UNKNOWN+DRAIN"}});
    const size_t node = all.find("NodeName=" + name + " ");
    const size_t want = all.find("State=", node);
    EXPECT_EQ(state, all.substr(want, all.find(' ', want) - want)) << name;
  }
}

TEST(NodeSheetTest, OneLineIsOne) {
  const ClusterNodes cluster = CapturedNodes(CapturedRunningJobs());
  const std::string line = NodeSheet(Find(cluster, "n1"), true);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(line, HasSubstr("State=MIXED ThreadsPerCore=1"));
}

TEST(NodeSheetTest, MemoryHasEveryDigit) {
  Node node = Find(CapturedNodes(CapturedRunningJobs()), "n1");
  node.memory = 1547001;
  EXPECT_THAT(NodeSheet(node, false), HasSubstr("RealMemory=1547001 "));
}

TEST(NodeSheetTest, WhatIsNotKnownIsLeftOut) {
  ::priority::v1::ListJobsResponse jobs;
  *jobs.add_jobs() = RunningJob("1", 3, 1000, "debug", "");
  const std::string sheet = NodeSheet(Find(CapturedNodes(jobs), "n1"), false);
  EXPECT_THAT(sheet, HasSubstr("State=UNKNOWN"));
  EXPECT_THAT(sheet, Not(HasSubstr("Alloc")));
}

}  // namespace
}  // namespace priorityd::nodes
