// scontrol show partition, beside what a real Slurm showed of the same slurm.conf.
#include "client/prioctl/jobs/partition_sheet.h"

#include <set>
#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/tres_list.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/jobs/captured_partitions.h"

namespace priorityd::jobs {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// What priorityd does not know of a partition.
const std::set<std::string>& Unknown() {
  static const auto* names = new std::set<std::string>{"AllowGroups",
                                                       "AllocNodes",
                                                       "DisableRootJobs",
                                                       "ExclusiveUser",
                                                       "GraceTime",
                                                       "Hidden",
                                                       "LLN",
                                                       "MaxCPUsPerNode",
                                                       "Nodes",
                                                       "RootOnly",
                                                       "ReqResv",
                                                       "OverSubscribe",
                                                       "OverTimeLimit",
                                                       "SelectTypeParameters",
                                                       "JobDefaults",
                                                       "DefMemPerNode",
                                                       "MaxMemPerNode"};
  return *names;
}

// Without billing, which Slurm reckons for whole partitions, and the cluster's licenses.
std::string OwnTres(const std::string& tres) {
  Lines own;
  for (const absl::string_view count : absl::StrSplit(tres, ',')) {
    const bool is_own =
        !absl::StartsWith(count, "billing=") && !absl::StartsWith(count, "license/");
    if (is_own) own.push_back(std::string(count));
  }
  return absl::StrJoin(own, ",");
}

// Weights may be written in several ways.
std::string SameWeights(const std::string& text) {
  const auto weights = slurm::ParseBillingWeights(text);
  EXPECT_TRUE(weights.ok()) << weights.status();
  return weights.ok() ? absl::StrJoin(*weights, ",", absl::PairFormatter("=")) : text;
}

std::string Comparable(const std::string& line) {
  Lines tokens;
  for (const std::string& token : Lines(absl::StrSplit(line, ' ', absl::SkipEmpty()))) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(token, absl::MaxSplits('=', 1));
    const auto& [name, value] = parts;
    if (Unknown().contains(name)) continue;
    if (name == "TRES") {
      tokens.push_back("TRES=" + OwnTres(value));
    } else if (name == "TRESBillingWeights") {
      tokens.push_back("TRESBillingWeights=" + SameWeights(value));
    } else {
      tokens.push_back(token);
    }
  }
  return absl::StrJoin(tokens, " ");
}

// Lines that have nothing left are left out.
Lines Comparable(const Lines& lines) {
  Lines all;
  for (const std::string& line : lines) {
    const std::string text = Comparable(line);
    if (!text.empty()) all.push_back(text);
  }
  return all;
}

Lines OurLines(bool one_line) {
  std::string text;
  for (const v1::Partition& partition : CapturedPartitions()) {
    text += PartitionSheet(partition, one_line);
  }
  return absl::StrSplit(text, '\n');
}

TEST(PartitionSheet, HasTheLinesOfSlurmsWithWhatPriorityKnows) {
  const Lines captured = CapturedLines("scontrol_show.txt", "scontrol show partition");
  ASSERT_EQ(CapturedPartitions().size(), 3u);
  EXPECT_THAT(Comparable(OurLines(false)), ElementsAreArray(Comparable(captured)));
}

TEST(PartitionSheet, IsOneLineWhereThatIsAskedFor) {
  const Lines captured = CapturedLines("scontrol_show.txt", "scontrol -o show partition");
  EXPECT_THAT(Comparable(OurLines(true)), ElementsAreArray(Comparable(captured)));
}

TEST(PartitionSheet, LinesAreIndentedAndABlankOneEndsIt) {
  const std::string sheet = PartitionSheet(CapturedPartitions().at(1), false);
  const Lines captured = CapturedLines("scontrol_show.txt", "scontrol show partition gpu");
  EXPECT_THAT(sheet, HasSubstr("PartitionName=gpu\n   DenyAccounts=guests AllowQos=normal,high"));
  EXPECT_EQ(captured.back(), "");
  EXPECT_THAT(sheet, ::testing::EndsWith("\n\n"));
}

TEST(PartitionSheet, WhatIsNotSetHasSlurmsDefaults) {
  v1::Partition partition;
  partition.set_name("new");
  EXPECT_EQ(PartitionSheet(partition, true),
            "PartitionName=new AllowAccounts=ALL AllowQos=ALL Default=NO QoS=N/A DefaultTime=NONE "
            "MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 PriorityJobFactor=1 PriorityTier=1 "
            "PreemptMode=OFF State=UP TotalCPUs=0 TotalNodes=0 TRES=(null)\n");
}

TEST(PartitionSheet, MemoryOfManyNodesKeepsAllItsDigits) {
  v1::Partition partition;
  (*partition.mutable_attributes())["TRES"] = "cpu=800,mem=1600000,node=100";
  EXPECT_THAT(PartitionSheet(partition, true), HasSubstr("TRES=cpu=800,mem=1562.50G,node=100\n"));
}

}  // namespace
}  // namespace priorityd::jobs
