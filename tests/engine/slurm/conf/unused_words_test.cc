#include "engine/slurm/conf/unused_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/conf_words.h"
#include "engine/slurm/conf/slurm_conf.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SlurmConf ConfOf(const std::string& text) {
  const std::vector<SourceFile> files = {{"slurm.conf", text}};
  auto conf = ParseSlurmConf(files);
  EXPECT_TRUE(conf.ok()) << conf.status();
  return conf.ok() ? *std::move(conf) : SlurmConf();
}

// `NAME VALUE PLACE`, where PLACE is the line; only of that class.
std::vector<std::string> Unused(const SlurmConf& conf, UnusedClass unused_class) {
  std::vector<std::string> found;
  for (const UnusedSetting& setting : conf.unused) {
    if (setting.unused_class != unused_class) continue;
    found.push_back(absl::StrCat(setting.name, " ", setting.value, " ",
                                 setting.place.substr(setting.place.rfind(' ') + 1)));
  }
  return found;
}

std::vector<std::string> Limits(const std::string& text) {
  return Unused(ConfOf(text), UnusedClass::kLimits);
}

TEST(UnusedWordsTest, EveryWordIsThereOnceAndHasNoEffectElsewhere) {
  for (const ConfWordPlace place :
       {ConfWordPlace::kFile, ConfWordPlace::kNode, ConfWordPlace::kPartition}) {
    std::set<std::string> seen;
    for (const UnusedWord& word : UnusedWords()) {
      if (word.place != place) continue;
      EXPECT_EQ(word.effect.back(), '.') << word.names;
      for (const absl::string_view name : absl::StrSplit(word.names, ' ')) {
        EXPECT_FALSE(name.empty()) << word.names;
        EXPECT_TRUE(seen.insert(absl::AsciiStrToLower(name)).second) << name;
        EXPECT_FALSE(IsActedOn(place, name)) << name;
      }
    }
    EXPECT_GT(seen.size(), 5u);
  }
}

TEST(UnusedWordsTest, WhatLimitsJobsIsListedWithItsLine) {
  EXPECT_THAT(Limits("MCSPlugin=mcs/user\nMaxTasksPerNode=9\n"
                     "PartitionName=a GraceTime=120 ReqResv=YES AllocNodes=login1\n"
                     "PartitionName=b MaxCPUsPerSocket=6\n"),
              ElementsAre("AllocNodes login1 3", "MaxCPUsPerSocket 6 4", "MaxTasksPerNode 9 2",
                          "MCSPlugin mcs/user 1"));
}

TEST(UnusedWordsTest, DefaultsAreNotListed) {
  const SlurmConf conf = ConfOf(
      "MaxMemPerCPU=0\nDisableRootJobs=NO\nMaxTasksPerNode=512\n"
      "PreemptParameters=(null)\nJobSubmitPlugins=(null)\nMCSPlugin=mcs/none\n"
      "PartitionName=a GraceTime=0 ReqResv=NO AllocNodes=ALL DisableRootJobs=no Hidden=NO "
      "LLN=NO\n");
  EXPECT_THAT(conf.unused, IsEmpty());
}

// 25.11's slurm.conf(5), PreemptParameters and the others.
TEST(UnusedWordsTest, WordsWithinAValueAreListedOneByOne) {
  const SlurmConf conf = ConfOf(
      "PreemptParameters=youngest_first,min_exempt_priority=5000,reorder_count=3,strict_order\n"
      "DependencyParameters=kill_invalid_depend,max_depend_depth=5\n"
      "SlurmctldParameters=enable_configless,RL_enable\n"
      "SchedulerParameters=bf_window=4320,bf_min_prio_reserve=1000,defer\n"
      "AccountingStorageEnforce=limits,wckeys,nosteps\nPrivateData=jobs,nodes\n");
  EXPECT_THAT(Unused(conf, UnusedClass::kLimits),
              ElementsAre("AccountingStorageEnforce=wckeys wckeys 5",
                          "DependencyParameters=kill_invalid_depend kill_invalid_depend 2",
                          "SchedulerParameters=bf_min_prio_reserve bf_min_prio_reserve=1000 4",
                          "SlurmctldParameters=RL_enable RL_enable 3"));
  EXPECT_THAT(Unused(conf, UnusedClass::kNoConsequence),
              ElementsAre("AccountingStorageEnforce=nosteps nosteps 5",
                          "DependencyParameters=max_depend_depth max_depend_depth=5 2",
                          "PreemptParameters=reorder_count reorder_count=3 1",
                          "PreemptParameters=strict_order strict_order 1",
                          "PrivateData=nodes nodes 6", "SchedulerParameters=defer defer 4",
                          "SlurmctldParameters=enable_configless enable_configless 3"));
  EXPECT_THAT(conf.losses, IsEmpty());
}

TEST(UnusedWordsTest, DefaultsOfGpusAndBoundsOfMemoryAct) {
  EXPECT_THAT(ConfOf("PriorityWeightTRES=Mem=10\nMaxMemPerCPU=4096\nDefMemPerGPU=8\n"
                     "DefCpuPerGPU=2\nDisableRootJobs=YES\n"
                     "PartitionName=a JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=9 MaxMemPerCPU=2 "
                     "DisableRootJobs=NO\n")
                  .unused,
              IsEmpty());
}

TEST(UnusedWordsTest, DefaultMemoryPerCpuOrNodeActs) {
  EXPECT_THAT(ConfOf("PriorityWeightTRES=Mem=10\nDefMemPerCPU=4096\n"
                     "PartitionName=a DefMemPerNode=8 TRESBillingWeights=Mem=1\n")
                  .unused,
              IsEmpty());
}

TEST(UnusedWordsTest, ASiteFactorPluginOfSlurmsChangesNumbersUnlessAServiceIsNamedToo) {
  const std::string plugin = "PrioritySiteFactorPlugin=site_factor/example\n";
  EXPECT_THAT(Unused(ConfOf(plugin), UnusedClass::kNumbers),
              ElementsAre("PrioritySiteFactorPlugin site_factor/example 1"));
  const SlurmConf mapped = ConfOf(plugin + "PrioritySiteFactorPlugin=localhost:7412\n");
  EXPECT_THAT(mapped.unused, IsEmpty());
  EXPECT_EQ(mapped.policy.site_factor_plugin, "localhost:7412");
}

TEST(UnusedWordsTest, TheOtherWordsOfALineOfNodesThatAreDownAreNoParameters) {
  const SlurmConf conf = ConfOf("DownNodes=n1 State=DOWN Reason=\"bad; PSU\"\n");
  EXPECT_THAT(Unused(conf, UnusedClass::kNoConsequence), ElementsAre("DownNodes n1 1"));
  EXPECT_THAT(conf.losses, IsEmpty());
}

}  // namespace
}  // namespace priorityd::slurm
