#include "engine/slurm/conf/slurm_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/slurm/parsing.h"
#include "tests/engine/slurm/slurm_conf_parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(SlurmConfTest, ARealFileIsRead) {
  const auto conf = ParseSlurmConf({SiteFile("slurm.conf")});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->cluster_name, "orc");
  EXPECT_TRUE(conf->has_policy);
  const priority::Policy& policy = conf->policy;
  EXPECT_FALSE(policy.decays());
  EXPECT_EQ(policy.calc_period, absl::Minutes(1));
  EXPECT_EQ(policy.reset_period, priority::ResetPeriod::kNone);
  EXPECT_EQ(policy.max_age, absl::Minutes(10));
  EXPECT_EQ(policy.weight_fair_share, 10000u);
  EXPECT_EQ(policy.weight_age, 1000u);
  EXPECT_EQ(policy.weight_assoc, 2000u);
  EXPECT_EQ(policy.weight_job_size, 3000u);
  EXPECT_EQ(policy.weight_partition, 4000u);
  EXPECT_EQ(policy.weight_qos, 5000u);
  EXPECT_THAT(policy.weight_tres,
              ElementsAre(Pair("billing", 700), Pair("cpu", 1000), Pair("gres/gpu", 500),
                          Pair("mem", 2000), Pair("node", 300)));
  EXPECT_EQ(policy.weight_tres_text, "CPU=1000,Mem=2000,Node=300,GRES/gpu=500,Billing=700");
  EXPECT_EQ(conf->skipped_lines, 41 - 25);
  EXPECT_THAT(conf->warnings,
              ElementsAre("slurm.conf line 17: PriorityDecayHalfLife: usage never decays and "
                          "is never reset"));
}

TEST(SlurmConfTest, ARealFilesNodesMakeClusterAndPartitions) {
  const auto conf = ParseSlurmConf({SiteFile("slurm.conf")});
  ASSERT_TRUE(conf.ok()) << conf.status();
  ASSERT_TRUE(conf->cluster.has_value());
  EXPECT_EQ(conf->cluster->name, "orc");
  EXPECT_EQ(conf->cluster->nodes, 8);
  EXPECT_EQ(conf->cluster->cpus, 384);
  EXPECT_THAT(conf->cluster->tres, ElementsAre(Pair("cpu", 384), Pair("gres/gpu", 16),
                                               Pair("mem", 768000), Pair("node", 8)));
  ASSERT_EQ(conf->partitions.size(), 4u);
  const priority::Partition& main = conf->partitions[0];
  EXPECT_EQ(main.name, "main");
  EXPECT_TRUE(main.is_default);
  EXPECT_EQ(main.nodes, 8);
  EXPECT_EQ(main.tres, conf->cluster->tres);
  EXPECT_EQ(main.priority_job_factor, 10u);
  EXPECT_EQ(main.max_time, absl::InfiniteDuration());
  EXPECT_THAT(main.billing_weights,
              ElementsAre(Pair("cpu", 1), Pair("gres/gpu", 8), Pair("mem", 0.25 / 1024)));
  const priority::Partition& fast = conf->partitions[1];
  EXPECT_THAT(fast.tres, ElementsAre(Pair("cpu", 256), Pair("gres/gpu", 16), Pair("mem", 256000),
                                     Pair("node", 4)));
  EXPECT_EQ(fast.max_time, absl::Minutes(120));
  EXPECT_EQ(fast.priority_job_factor, 100u);
  EXPECT_EQ(fast.priority_tier, 5u);
  const priority::Partition& half = conf->partitions[3];
  EXPECT_EQ(half.tres.at("cpu"), 2 * 64 + 2 * 32);
  EXPECT_EQ(half.default_time, absl::Minutes(60));
  EXPECT_EQ(half.max_time, absl::Hours(24));
  EXPECT_THAT(conf->all_nodes_partitions, ElementsAre("main"));
}

// The lines of a slurmctld 22.05 that was watched while usage decayed.
TEST(SlurmConfTest, ARealDecayingSiteIsRead) {
  const SlurmConf conf = Parsed(
      "PriorityType=priority/multifactor\n"
      "PriorityCalcPeriod=1\n"
      "PriorityDecayHalfLife=0-00:05\n"
      "PriorityUsageResetPeriod=NONE\n"
      "PriorityWeightFairshare=1000\n"
      "PriorityFlags=NO_FAIR_TREE\n"
      "NodeName=n1 NodeAddr=127.0.0.1 Port=17021 CPUs=64 RealMemory=64000 State=UNKNOWN\n"
      "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
      "PartitionName=bill Nodes=ALL MaxTime=INFINITE State=UP "
      "TRESBillingWeights=CPU=2.0,Mem=0.5G\n");
  EXPECT_EQ(conf.policy.half_life, absl::Minutes(5));
  EXPECT_EQ(conf.policy.algorithm, priority::FairShareAlgorithm::kClassic);
  EXPECT_EQ(conf.partitions[1].billing_weights.at("mem"), 0.5 / 1024);
  EXPECT_EQ(conf.partitions[1].tres.at("mem"), 64000);
  EXPECT_EQ(conf.skipped_lines, 0);
  EXPECT_THAT(conf.warnings, IsEmpty());
}

TEST(SlurmConfTest, WhatIsNotTheirsIsLeftOut) {
  const SlurmConf conf = Parsed("# nothing\n\nSlurmctldPort=6817 # really\nGresTypes=gpu\n");
  EXPECT_EQ(conf.skipped_lines, 2);
  EXPECT_FALSE(conf.has_policy);
  EXPECT_FALSE(conf.cluster.has_value());
  EXPECT_FALSE(conf.has_licenses);
  EXPECT_EQ(conf.cluster_name, "");
  EXPECT_THAT(conf.partitions, IsEmpty());
  EXPECT_THAT(conf.warnings, IsEmpty());
}

TEST(SlurmConfTest, LicensesCountForTheCluster) {
  const SlurmConf conf =
      Parsed("ClusterName=Orc\nLicenses=matlab:10,fluent@flex:3\nNodeName=n1 CPUs=4\n");
  EXPECT_EQ(conf.cluster_name, "orc");
  EXPECT_EQ(conf.cluster->tres.at("license/matlab"), 10);
  EXPECT_THAT(conf.licenses,
              ElementsAre(Pair("license/fluent@flex", 3), Pair("license/matlab", 10)));
  EXPECT_TRUE(Parsed("Licenses=a\n").has_licenses);
}

TEST(SlurmConfTest, WithoutNodeLinesPartitionsCountTheirHosts) {
  const SlurmConf conf =
      Parsed("PartitionName=a Nodes=n[1-4],n2\nPartitionName=b Nodes=ALL\nPartitionName=c\n");
  EXPECT_FALSE(conf.cluster.has_value());
  EXPECT_EQ(conf.partitions[0].nodes, 4);
  EXPECT_THAT(conf.partitions[0].tres, IsEmpty());
  EXPECT_EQ(conf.partitions[1].nodes, 0);
  EXPECT_THAT(conf.all_nodes_partitions, ElementsAre("b"));
}

TEST(SlurmConfTest, SeveralParametersMayShareALine) {
  const SlurmConf conf = Parsed("SlurmdTimeout=3 PriorityWeightAge=7\tpriorityweightqos = 9\n");
  EXPECT_EQ(conf.policy.weight_age, 7u);
  EXPECT_EQ(conf.policy.weight_qos, 9u);
  EXPECT_EQ(conf.skipped_lines, 0);
}

TEST(SlurmConfTest, CommentsQuotesEscapesAndContinuationsAreSlurms) {
  const SlurmConf conf = Parsed(
      "PriorityWeightQOS=0 # don't use the qos factor\n"
      "PrioritySiteFactorParameters=\"a b#c \\\"d\\\"\"\n"
      "PartitionName=main \\\r\n"
      "  PriorityJobFactor=5 \\  \n"
      "  QOS=x\\#y#comment\n"
      "Pri\\\n"
      "orityWeightAge=12");
  EXPECT_EQ(conf.policy.site_factor_parameters, "a b#c \"d\"");
  EXPECT_EQ(conf.partitions[0].priority_job_factor, 5u);
  EXPECT_EQ(conf.partitions[0].qos, "x#y");
  EXPECT_EQ(conf.policy.weight_age, 12u);
}

TEST(SlurmConfTest, ACommentEndsWithItsLineWhateverItsEnd) {
  const SlurmConf conf = Parsed(
      "# old weights: \\\n"
      "PriorityWeightAge=12\n"
      "PriorityWeightQOS=5 # was 7 \\\n"
      "PriorityWeightPartition=6\n"
      "PartitionName=a Nodes=ALL \\ # of all\n"
      "  QOS=\"x \\\n"
      "#y\" PriorityJobFactor=3 # not the next \\\n"
      "PartitionName=b\n");
  EXPECT_EQ(conf.policy.weight_age, 12u);
  EXPECT_EQ(conf.policy.weight_qos, 5u);
  EXPECT_EQ(conf.policy.weight_partition, 6u);
  ASSERT_EQ(conf.partitions.size(), 2u);
  EXPECT_EQ(conf.partitions[0].qos, "x #y");
  EXPECT_EQ(conf.partitions[0].priority_job_factor, 3u);
}

TEST(SlurmConfTest, AFaultIsNamedAtItsOwnLineOfAContinuedOne) {
  EXPECT_THAT(ErrorTexts(Parse("PartitionName=main \\\n Nodes=n1 \\\n MinNodes=x\n").status()),
              ElementsAre("slurm.conf line 3: MinNodes: got \"x\", want a whole number from 0 to "
                          "4294967295"));
}

TEST(SlurmConfTest, LinesThatAreNoPairsAreErrors) {
  EXPECT_THAT(ErrorTexts(Parse("What is this?\n"
                               "=3\n"
                               "PriorityWeightAge=1 and more\n"
                               "PartitionName=\"open more\n"
                               "Prolog=/bin/a extra words\n"
                               "Epilog=\"/bin/b\n"
                               "TaskProlog=\"/bin/c\"d and \"\n")
                             .status()),
              ElementsAre("slurm.conf line 1: got \"What\", want key=value",
                          "slurm.conf line 2: got \"=3\", want key=value",
                          "slurm.conf line 3: got \"and\", want key=value",
                          "slurm.conf line 4: got \"more\", want key=value"));
}

// slurmctld takes a quote that nothing closes as a letter.
TEST(SlurmConfTest, AnOpenQuoteIsPartOfTheWord) {
  EXPECT_EQ(Parsed("PartitionName=\"open QOS=\"a\"b\n").partitions[0].name, "\"open");
  EXPECT_EQ(Parsed("PartitionName=p QOS=\"a\"b\n").partitions[0].qos, "\"a\"b");
  EXPECT_EQ(Parsed("Epilog=\"/x\nPriorityWeightAge+=3\n").policy.weight_age, 3u);
}

TEST(SlurmConfTest, AParameterThatNoSlurmHasIsALoss) {
  const SlurmConf conf = Parsed(
      "AccountingStorageEnforced=limits\nCacheGroups=0\nFastSchedule=1\n"
      "DownNodes=n1 State=DOWN Reason=\"x y\"\nSlurmctldHost=h(1.2.3.4)\n");
  EXPECT_THAT(conf.losses,
              ElementsAre("slurm.conf line 1: AccountingStorageEnforced: got an unknown parameter, "
                          "which no Slurm from 14.11 to 25.11 has; ignored"));
  EXPECT_EQ(conf.skipped_lines, 5);
}

TEST(SlurmConfTest, WhatScontrolShowConfigPrintsIsRead) {
  const SlurmConf conf = Parsed(
      "Configuration data as of 2025-11-20T10:00:00\n"
      "AccountingStorageEnforce = associations,limits,qos\n"
      "BOOT_TIME               = 2025-11-18T09:33:55\n"
      "ClusterName             = ow1\n"
      "JobAcctGatherParams     = (null)\n"
      "KillWait                = 30 sec\n"
      "Licenses                = (null)\n"
      "MinJobAge               = 3600 sec\n"
      "PriorityFlags           = \n"
      "PriorityParameters      = (null)\n"
      "PrioritySiteFactorPlugin = (null)\n"
      "PriorityWeightFairShare = 100000\n"
      "PriorityWeightTRES      = (null)\n"
      "SlurmUser               = slurm(64030)\n"
      "SrunProlog              = /a b c\n"
      "\n"
      "Cgroup Support Configuration:\n"
      "PriorityWeightAge       = 7\n"
      "Slurmctld(primary) at h is UP\n");
  EXPECT_EQ(conf.cluster_name, "ow1");
  EXPECT_EQ(conf.policy.weight_fair_share, 100000u);
  EXPECT_EQ(conf.policy.weight_age, 0u) << "behind the parameters come those of other files";
  EXPECT_EQ(conf.policy.min_job_age, absl::Hours(1));
  EXPECT_TRUE(conf.policy.enforce.limits && !conf.has_licenses);
  EXPECT_TRUE(conf.losses.empty());
  EXPECT_THAT(conf.warnings,
              ElementsAre(testing::HasSubstr("this is what `scontrol show config` printed")));
}

// Palmetto's line. Neither a value that the auth file refuses nor another word is an error here.
TEST(SlurmConfTest, TheRateLimitOfAPolicyIsReferredToTheAuthFile) {
  const SlurmConf conf = Parsed(
      "PriorityWeightAge=7\n"
      "SlurmctldParameters=enable_configless,RL_enable,rl_bucket_size=0\n"
      "SlurmctldParameters=enable_configless\n");
  ASSERT_EQ(conf.unused.size(), 3u);
  EXPECT_EQ(conf.unused[0].name, "SlurmctldParameters=rl_bucket_size");
  EXPECT_EQ(conf.unused[0].value, "rl_bucket_size=0");
  EXPECT_EQ(conf.unused[0].place, "slurm.conf line 2");
  EXPECT_EQ(conf.unused[0].unused_class, UnusedClass::kLimits);
  EXPECT_EQ(
      conf.unused[0].effect,
      "Limits the rate of requests; here the auth file (--auth_file) does, by the same words.");
  EXPECT_EQ(conf.unused[1].name, "SlurmctldParameters=RL_enable");
  EXPECT_EQ(conf.unused[2].places, 2);
  EXPECT_THAT(conf.losses, IsEmpty());
  EXPECT_THAT(conf.warnings, IsEmpty());
  EXPECT_EQ(conf.policy.weight_age, 7u);
}

TEST(SlurmConfTest, AByteOrderMarkAndNulBytesAreHandled) {
  EXPECT_EQ(Parsed("\xEF\xBB\xBFPriorityWeightAge=1\r\n").policy.weight_age, 1u);
  EXPECT_THAT(ErrorTexts(Parse(std::string("A=1\nPriorityFlags=\0X\n", 21)).status()),
              ElementsAre("slurm.conf line 2: got a NUL byte, want text"));
}

TEST(SlurmConfTest, ThirtyTwoErrorsTravelAndAllAreCounted) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "PriorityWeightAge=x\n";
  const absl::Status status = Parse(text).status();
  EXPECT_EQ(errors::ViolationsOf(status).size(), 32u);
  EXPECT_EQ(errors::ViolationCountOf(status), 50u);
}

TEST(SlurmConfTest, ClusterNameAndLicensesGivenTwiceAreWarnedOf) {
  EXPECT_THAT(Parsed("ClusterName=a\nClusterName=b\nLicenses=x\nLicenses=y\n").warnings,
              ElementsAre("slurm.conf line 2: ClusterName is set again; this value is used",
                          "slurm.conf line 4: Licenses is set again; this value is used"));
  EXPECT_THAT(ErrorTexts(Parse("ClusterName=\nLicenses=a:b\n").status()),
              ElementsAre("slurm.conf line 1: ClusterName: got \"\", want a name",
                          "slurm.conf line 2: Licenses: got \"a:b\", want NAME or NAME:COUNT"));
}

}  // namespace
}  // namespace priorityd::slurm
