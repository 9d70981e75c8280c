// PartitionName lines, through ParseSlurmConf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/slurm/conf/slurm_conf.h"
#include "tests/engine/slurm/parsing.h"
#include "tests/engine/slurm/slurm_conf_parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(PartitionLinesTest, DefaultsAreSlurms) {
  const priority::Partition partition = Parsed("PartitionName=p\n").partitions.at(0);
  EXPECT_EQ(partition.name, "p");
  EXPECT_EQ(partition.priority_job_factor, 1u);
  EXPECT_EQ(partition.priority_tier, 1u);
  EXPECT_EQ(partition.max_time, absl::InfiniteDuration());
  EXPECT_FALSE(partition.default_time.has_value());
  EXPECT_FALSE(partition.max_nodes.has_value());
  EXPECT_TRUE(partition.up);
  EXPECT_TRUE(partition.open);
  EXPECT_FALSE(partition.root_only);
  EXPECT_FALSE(partition.max_cpus_per_node.has_value());
  EXPECT_FALSE(partition.max_mem_per_node.has_value());
  EXPECT_FALSE(partition.is_default);
  EXPECT_FALSE(partition.preemptible);
}

TEST(PartitionLinesTest, EveryParameterIsHeld) {
  const priority::Partition partition =
      Parsed(
          "PartitionName=debug Default=yes MaxTime=2:00:00 DefaultTime=30 MinNodes=1 MaxNodes=4 "
          "AllowAccounts=a,B AllowQos=Normal QOS=part_debug State=DRAIN PreemptMode=REQUEUE "
          "RootOnly=YES MaxCPUsPerNode=8 MaxMemPerNode=1000 AllowGroups=staff,ops "
          "PriorityJobFactor=100 PriorityTier=5 TRESBillingWeights=\"CPU=1.0,Mem=0.25G\" "
          "OverSubscribe=NO\n")
          .partitions.at(0);
  EXPECT_TRUE(partition.is_default);
  EXPECT_EQ(partition.max_time, absl::Hours(2));
  EXPECT_EQ(partition.default_time, absl::Minutes(30));
  EXPECT_EQ(partition.min_nodes, 1u);
  EXPECT_EQ(partition.max_nodes, 4u);
  EXPECT_THAT(partition.allow_accounts, ElementsAre("a", "b"));
  EXPECT_THAT(partition.allow_qos, ElementsAre("normal"));
  EXPECT_EQ(partition.qos, "part_debug");
  EXPECT_TRUE(partition.up);
  EXPECT_FALSE(partition.open);
  EXPECT_TRUE(partition.root_only);
  EXPECT_EQ(partition.max_cpus_per_node, 8u);
  EXPECT_EQ(partition.max_mem_per_node, 1000);
  EXPECT_THAT(partition.allow_groups, ElementsAre("staff", "ops"));
  EXPECT_TRUE(partition.preemptible);
  EXPECT_EQ(partition.priority_job_factor, 100u);
  EXPECT_EQ(partition.priority_tier, 5u);
  EXPECT_THAT(partition.billing_weights, ElementsAre(Pair("cpu", 1), Pair("mem", 0.25 / 1024)));
}

TEST(PartitionLinesTest, TheLastDefaultMemoryOfALineHoldsElseThatOfTheDefaultLine) {
  using priority::DefaultMemory;
  const priority::Policy policy = Parsed(
                                      "DefMemPerCPU=1\n"
                                      "PartitionName=clusters\n"
                                      "PartitionName=default DefMemPerCPU=100\n"
                                      "PartitionName=defaults\n"
                                      "PartitionName=own DefMemPerNode=2000\n"
                                      "PartitionName=both DefMemPerNode=2000 defmempercpu=7\n"
                                      "PartitionName=none DefMemPerNode=UNLIMITED\n"
                                      "PartitionName=printed DefMemPerNode=(null)\n")
                                      .policy;
  EXPECT_EQ(policy.job_defaults.memory, (DefaultMemory{.per_cpu = 1}));
  const auto memory = [](const DefaultMemory& of) {
    return testing::Field(&priority::PartitionRules::memory, testing::Optional(of));
  };
  EXPECT_THAT(
      policy.partition_rules,
      ElementsAre(Pair("both", memory({.per_cpu = 7})), Pair("defaults", memory({.per_cpu = 100})),
                  Pair("none", memory({})), Pair("own", memory({.per_node = 2000})),
                  Pair("printed", memory({.per_cpu = 100}))));
}

TEST(PartitionLinesTest, DefaultMemoryIsWholeMegabytes) {
  EXPECT_EQ(ErrorOf("PartitionName=a DefMemPerCPU=4G\n"),
            "slurm.conf line 1: DefMemPerCPU: got \"4G\", want MB from 0 (none) to 4294967294, or "
            "UNLIMITED");
}

TEST(PartitionLinesTest, DefaultLinesHoldForLaterLinesAndAddUp) {
  const SlurmConf conf = Parsed(
      "PartitionName=a\n"
      "PartitionName=DEFAULT PriorityJobFactor=7 MaxTime=60\n"
      "PartitionName=b\n"
      "PartitionName=DEFAULT PriorityTier=3\n"
      "PartitionName=c MaxTime=UNLIMITED\n");
  ASSERT_EQ(conf.partitions.size(), 3u);
  EXPECT_EQ(conf.partitions[0].priority_job_factor, 1u);
  EXPECT_EQ(conf.partitions[1].priority_job_factor, 7u);
  EXPECT_EQ(conf.partitions[1].priority_tier, 1u);
  EXPECT_EQ(conf.partitions[1].max_time, absl::Minutes(60));
  EXPECT_EQ(conf.partitions[2].priority_job_factor, 7u);
  EXPECT_EQ(conf.partitions[2].priority_tier, 3u);
  EXPECT_EQ(conf.partitions[2].max_time, absl::InfiniteDuration());
}

TEST(PartitionLinesTest, TheOldNamePriorityMeansBoth) {
  const SlurmConf conf = Parsed(
      "PartitionName=a Priority=9\nPartitionName=b Priority=9 "
      "PriorityTier=2\n");
  EXPECT_EQ(conf.partitions[0].priority_job_factor, 9u);
  EXPECT_EQ(conf.partitions[0].priority_tier, 9u);
  // slurmctld looks at it last.
  EXPECT_EQ(conf.partitions[1].priority_job_factor, 9u);
  EXPECT_EQ(conf.partitions[1].priority_tier, 9u);
}

// slurmctld logs `DefaultTime exceeds MaxTime` and leaves it out.
TEST(PartitionLinesTest, ADefaultTimeAboveMaxTimeIsLeftOutWithAWarning) {
  const SlurmConf conf = Parsed(
      "PartitionName=DEFAULT DefaultTime=01:00:00\n"
      "PartitionName=main MaxTime=7-0\n"
      "PartitionName=debug MaxTime=00:30:00\n");
  EXPECT_EQ(conf.partitions[0].default_time, absl::Hours(1));
  EXPECT_FALSE(conf.partitions[1].default_time.has_value());
  EXPECT_THAT(conf.warnings,
              ElementsAre("slurm.conf line 1: DefaultTime: got \"01:00:00\" for partition debug, "
                          "whose MaxTime is 00:30:00; ignored, as in slurmctld"));
}

TEST(PartitionLinesTest, WordsAreReadAsSlurmctldReadsThem) {
  const SlurmConf conf = Parsed(
      "PartitionName=a State=UPP Default=1 RootOnly=down MaxNodes=INFINITE MinNodes=0x2\n"
      "PartitionName=b State=drained QOS=(null) PreemptMode=CHECKPOINT\n");
  EXPECT_TRUE(conf.partitions[0].up && conf.partitions[0].is_default);
  EXPECT_FALSE(conf.partitions[0].root_only);
  EXPECT_EQ(conf.partitions[0].min_nodes, 2u);
  EXPECT_FALSE(conf.partitions[0].max_nodes.has_value());
  EXPECT_TRUE(conf.partitions[1].up && !conf.partitions[1].open);
  EXPECT_EQ(conf.partitions[1].qos, "");
  EXPECT_TRUE(conf.partitions[1].preemptible);
}

TEST(PartitionLinesTest, AParameterThatNoSlurmHasIsALoss) {
  EXPECT_THAT(Parsed("PartitionName=a MaxTimes=5 OverSubscribe=NO\nNodeName=n1 CPU=4\n").losses,
              ElementsAre("slurm.conf line 1: MaxTimes: got an unknown parameter of a "
                          "PartitionName line, which no Slurm from 14.11 to 25.11 has; ignored",
                          "slurm.conf line 2: CPU: got an unknown parameter of a NodeName line, "
                          "which no Slurm from 14.11 to 25.11 has; ignored"));
}

TEST(PartitionLinesTest, TheClustersPreemptModeIsTheDefault) {
  const SlurmConf conf =
      Parsed("PartitionName=a\nPartitionName=b PreemptMode=OFF\nPreemptMode=SUSPEND,GANG\n");
  EXPECT_TRUE(conf.partitions[0].preemptible);
  EXPECT_EQ(conf.partitions[0].preempt_mode, "GANG,SUSPEND");
  EXPECT_FALSE(conf.partitions[1].preemptible);
  EXPECT_EQ(conf.partitions[1].preempt_mode, "OFF");
}

TEST(PartitionLinesTest, AllMeansEverybodyAndDenyGivesWayToAllow) {
  const SlurmConf conf = Parsed(
      "PartitionName=a AllowAccounts=ALL DenyAccounts=x AllowQos=q DenyQos=r MaxNodes=UNLIMITED\n");
  EXPECT_THAT(conf.partitions[0].allow_accounts, IsEmpty());
  EXPECT_THAT(conf.partitions[0].deny_accounts, ElementsAre("x"));
  EXPECT_THAT(conf.partitions[0].deny_qos, IsEmpty());
  EXPECT_FALSE(conf.partitions[0].max_nodes.has_value());
  EXPECT_THAT(conf.warnings, ElementsAre("slurm.conf line 1: DenyQos has no effect beside a list "
                                         "of those allowed"));
}

TEST(PartitionLinesTest, OfSeveralDefaultsOrLinesTheLastHolds) {
  const SlurmConf conf =
      Parsed("PartitionName=a Default=YES\nPartitionName=b Default=YES\nPartitionName=a QOS=x\n");
  ASSERT_EQ(conf.partitions.size(), 2u);
  EXPECT_FALSE(conf.partitions[0].is_default);
  EXPECT_EQ(conf.partitions[0].qos, "x");
  EXPECT_TRUE(conf.partitions[1].is_default);
  EXPECT_THAT(conf.warnings, ElementsAre("slurm.conf line 2: b is the default partition, not a",
                                         "slurm.conf line 3: partition a is given again; this line "
                                         "is used"));
}

TEST(PartitionLinesTest, AllNodesFollowsTheLineThatHolds) {
  EXPECT_THAT(Parsed("PartitionName=a Nodes=ALL\nPartitionName=b Nodes=all\n"
                     "PartitionName=a Nodes=n1\n")
                  .all_nodes_partitions,
              ElementsAre("b"));
}

TEST(PartitionLinesTest, PrioritiesHaveSlurmsRange) {
  EXPECT_EQ(Parsed("PartitionName=a PriorityJobFactor=65535\n").partitions[0].priority_job_factor,
            65535u);
  for (const std::string name : {"PriorityJobFactor", "PriorityTier", "Priority"}) {
    for (const std::string value : {"-1", "65536", "4294967295", "18446744073709551616", "1.5"}) {
      EXPECT_THAT(ErrorTexts(Parse("PartitionName=a " + name + "=" + value + "\n").status()),
                  ElementsAre("slurm.conf line 1: " + name + ": got \"" + value +
                              "\", want a whole number from 0 to 65535"));
    }
  }
}

TEST(PartitionLinesTest, WhatALineSetsForItsJobsIsInThePolicy) {
  const SlurmConf conf = Parsed(
      "PartitionName=DEFAULT GraceTime=120 DisableRootJobs=YES\n"
      "PartitionName=a ReqResv=YES PreemptMode=Cancel MaxMemPerCPU=2000\n"
      "PartitionName=b JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=8000 "
      "DisableRootJobs=NO GraceTime=0 DefMemPerCPU=10\n");
  EXPECT_EQ(conf.policy.partition_rules.at("a"),
            (priority::PartitionRules{.max_memory_per_cpu = 2000,
                                      .disable_root_jobs = true,
                                      .requires_reservation = true,
                                      .preempt_mode = "CANCEL",
                                      .grace_time = absl::Minutes(2)}));
  EXPECT_EQ(conf.policy.partition_rules.at("b"),
            (priority::PartitionRules{.memory = priority::DefaultMemory{.per_cpu = 10},
                                      .memory_per_gpu = 8000,
                                      .cpus_per_gpu = 4,
                                      .disable_root_jobs = false}));
  EXPECT_TRUE(Parse("PartitionName=a Nodes=ALL\n")->policy.partition_rules.empty());
  EXPECT_THAT(ErrorTexts(Parse("PartitionName=a GraceTime=soon\nPartitionName=b MaxMemPerCPU=lots\n"
                               "PartitionName=c JobDefaults=DefGpuPerCPU=1\n")
                             .status()),
              ElementsAre("slurm.conf line 1: GraceTime: got \"soon\", want a number of seconds",
                          "slurm.conf line 2: MaxMemPerCPU: got \"lots\", want MB from 0 (none) to "
                          "4294967294, or UNLIMITED",
                          "slurm.conf line 3: JobDefaults: got \"DefGpuPerCPU=1\", want "
                          "DefCpuPerGPU=NUMBER or DefMemPerGPU=MB"));
}

// As scontrol show partition of slurmctld 22.05 prints them.
TEST(PartitionLinesTest, UnlimitedPrioritiesAreTheLargest16BitNumber) {
  const SlurmConf conf = Parsed(
      "PartitionName=a PriorityJobFactor=INFINITE PriorityTier=unlimited\n"
      "PartitionName=b PriorityJobFactor=65534 PriorityTier=+5\n");
  EXPECT_EQ(conf.partitions[0].priority_job_factor, 65535u);
  EXPECT_EQ(conf.partitions[0].priority_tier, 65535u);
  EXPECT_EQ(conf.partitions[1].priority_job_factor, 65534u);
  EXPECT_EQ(conf.partitions[1].priority_tier, 5u);
}

TEST(PartitionLinesTest, FaultsAreNamedByLine) {
  EXPECT_THAT(
      ErrorTexts(Parse("PartitionName=a,b\n"
                       "PartitionName=c State=OPEN Default=maybe\n"
                       "PartitionName=d PriorityJobFactor=65536 PriorityTeir=1\n"
                       "PartitionName=e MaxTime=soon\n"
                       "PartitionName=f MaxNodes=many TRESBillingWeights=CPU=-1\n"
                       "PartitionName=g PreemptMode=NEVER\n"
                       "PartitionName=\n")
                     .status()),
      ElementsAre(
          "slurm.conf line 3: PriorityTeir: got an unknown parameter of a partition, want "
          "PriorityJobFactor or PriorityTier",
          "slurm.conf line 1: PartitionName: got \"a,b\", want one name",
          "slurm.conf line 2: Default: got \"maybe\", want YES or NO",
          "slurm.conf line 2: State: got \"OPEN\", want UP, DOWN, DRAIN or INACTIVE",
          "slurm.conf line 3: PriorityJobFactor: got \"65536\", want a whole number from 0 to "
          "65535",
          "slurm.conf line 4: MaxTime: got \"soon\", want a time (min, min:sec, h:m:s, d-h, d-h:m, "
          "d-h:m:s or UNLIMITED)",
          "slurm.conf line 5: MaxNodes: got \"many\", want a whole number or UNLIMITED",
          "slurm.conf line 5: TRESBillingWeights: got \"CPU=-1\", want CPU=a number of at least 0, "
          "perhaps with a suffix K, M, G, T or P",
          "slurm.conf line 6: PreemptMode: got \"NEVER\", want OFF, CANCEL, GANG, PRIORITY, "
          "REQUEUE, SUSPEND or WITHIN",
          "slurm.conf line 7: PartitionName: got \"\", want one name"));
}

TEST(PartitionLinesTest, SettingsOfDefaultLinesCountInEachLine) {
  const std::string accounts((1 << 20) - 256, 'a');
  std::string text = absl::StrCat("PartitionName=DEFAULT AllowAccounts=", accounts, "\n");
  for (int i = 0; i < 8; ++i) absl::StrAppend(&text, "PartitionName=p", i, "\n");
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_THAT(
      ErrorTexts(Parse(absl::StrCat(text, "PartitionName=q\n")).status()),
      ElementsAre("slurm.conf line 10: PartitionName: got more than 8388608 bytes of settings of "
                  "all lines with those of DEFAULT lines, want fewer lines or shorter settings"));
}

}  // namespace
}  // namespace priorityd::slurm
