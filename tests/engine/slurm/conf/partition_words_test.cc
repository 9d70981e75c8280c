#include "engine/slurm/conf/partition_words.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace priorityd::slurm {
namespace {

using Cells = std::map<std::string, std::string>;

const Cells& Usual() {
  static const auto* const cells =
      new Cells{{"Default", "NO"},      {"MaxTime", "UNLIMITED"},   {"MinNodes", "0"},
                {"PreemptMode", "OFF"}, {"PriorityJobFactor", "1"}, {"PriorityTier", "1"},
                {"State", "UP"}};
  return *cells;
}

TEST(PartitionWordsTest, APartitionOfNoWordsHasSlurmsDefaults) {
  const auto read = ReadPartition("main", {});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->partition.name, "main");
  EXPECT_EQ(PartitionCells(read->partition), Usual());
}

TEST(PartitionWordsTest, APrintedPartitionIsReadAsTheSame) {
  const Cells cells = {{"AllowAccounts", "chem,bio"},
                       {"AllowGroups", "staff,ops"},
                       {"AllowQos", "normal,high"},
                       {"Default", "YES"},
                       {"DefaultTime", "01:00:00"},
                       {"MaxCPUsPerNode", "8"},
                       {"MaxMemPerNode", "1000"},
                       {"MaxNodes", "12"},
                       {"MaxTime", "2-00:00:00"},
                       {"MinNodes", "2"},
                       {"PreemptMode", "GANG,SUSPEND"},
                       {"PriorityJobFactor", "10"},
                       {"PriorityTier", "3"},
                       {"QOS", "part"},
                       {"RootOnly", "YES"},
                       {"State", "DRAIN"},
                       {"TRESBillingWeights", "cpu=1,gres/gpu=2.5,mem=0.000244140625"}};
  const auto read = ReadPartition("main", cells);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PartitionCells(read->partition), cells);
}

TEST(PartitionWordsTest, WordsMayBeAbbreviated) {
  EXPECT_EQ(FindPartitionWord("prioritytier")->name, "PriorityTier");
  EXPECT_EQ(FindPartitionWord("allowa")->name, "AllowAccounts");
  EXPECT_EQ(FindPartitionWord("nodes")->name, "Nodes");
  EXPECT_EQ(FindPartitionWord("Priority").status().message(),
            "got \"Priority\", want only one of PriorityJobFactor, PriorityTier");
  EXPECT_EQ(FindPartitionWord("OverSubscribe").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PartitionWordsTest, AViolationBeginsWithItsWord) {
  const auto read = ReadPartition("main", {{"MaxTime", "soon"}, {"State", "SIDEWAYS"}});
  const auto violations = errors::ViolationsOf(read.status());
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].description.substr(0, 21), "MaxTime: got \"soon\", ");
  EXPECT_EQ(violations[1].description, "State: got \"SIDEWAYS\", want UP, DOWN, DRAIN or INACTIVE");
}

TEST(PartitionWordsTest, OfNodesTotalsArePrinted) {
  priority::Partition partition;
  partition.nodes = 4;
  partition.tres = {{"cpu", 64}, {"mem", 4096}, {"node", 4}};
  EXPECT_EQ(NodeCells(partition),
            (Cells{{"TotalNodes", "4"}, {"TotalCPUs", "64"}, {"TRES", "cpu=64,mem=4096,node=4"}}));
}

}  // namespace
}  // namespace priorityd::slurm
