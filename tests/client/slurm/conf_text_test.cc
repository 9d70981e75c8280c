#include "client/slurm/conf_text.h"

#include "client/slurm/site_texts.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/slurm/played_slurm.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SiteTexts Captured() {
  PlayedSlurm slurm("observed.txt.gz");
  return *ReadSiteTexts(slurm.Runner());
}

// tests/slurm/site.conf, and what tests/slurm/observed_site.py sets in it.
TEST(ConfTextTest, IsTheSlurmConfThatTheSiteHas) {
  const std::string text = ConfText(Captured(), {});
  const auto conf = slurm::ParseSlurmConf({{{"slurm.conf", text}}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->cluster_name, "lab");
  EXPECT_EQ(conf->policy.half_life, absl::Hours(1));
  EXPECT_EQ(conf->policy.calc_period, absl::Minutes(1));
  EXPECT_EQ(conf->cluster->nodes, 2);
  EXPECT_EQ(conf->cluster->cpus, 16);
  EXPECT_EQ(conf->licenses.at("license/foo"), 10);
  ASSERT_EQ(conf->partitions.size(), 3);
  EXPECT_EQ(conf->partitions[1].name, "gpu");
  EXPECT_EQ(conf->partitions[1].tres.at("gres/gpu"), 2);
  EXPECT_EQ(conf->partitions[1].priority_job_factor, 50);
  EXPECT_EQ(conf->partitions[2].priority_tier, 2);
}

TEST(ConfTextTest, LinesOfPolicyHoldAgainstTheSite) {
  const std::string text = ConfText(Captured(), {"PriorityMaxAge=1-0", "FairTreeTies=slurm"});
  EXPECT_THAT(text, HasSubstr("\nPriorityMaxAge=1-0\nFairTreeTies=slurm\n"));
  EXPECT_THAT(text, Not(HasSubstr("PriorityMaxAge=02:00:00")));
}

// Plans and suggestions of preemptions follow from it.
TEST(ConfTextTest, TheSitesSchedulerPlans) {
  SiteTexts texts;
  texts.config =
      "ClusterName = a\nJobRequeue = 0\nPreemptExemptTime = 00:05:00\n"
      "PreemptParameters = min_exempt_priority=900\nSchedulerParameters = "
      "bf_window=2880,bf_max_job_test=700\nSchedulerType = sched/builtin\n";
  const auto conf = slurm::ParseSlurmConf({{{"slurm.conf", ConfText(texts, {})}}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  const priority::Scheduling& scheduling = conf->policy.scheduling;
  EXPECT_EQ(scheduling.window, absl::Hours(48));
  EXPECT_EQ(scheduling.max_job_test, 700u);
  EXPECT_FALSE(scheduling.backfill);
  EXPECT_EQ(conf->policy.preempt_exempt_time, absl::Minutes(5));
  EXPECT_EQ(conf->policy.min_exempt_priority, 900u);
  EXPECT_FALSE(conf->policy.job_requeue);
}

// prioctl import slurm-conf takes it, too.
TEST(ConfTextTest, WhatScontrolPrintedOfTheSiteIsASlurmConf) {
  const auto conf = slurm::ParseSlurmConf({{{"config.txt", Captured().config}}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->cluster_name, "lab");
  EXPECT_EQ(conf->policy.half_life, absl::Hours(1));
}

TEST(ConfTextTest, WhatTheSiteHidesStaysHidden) {
  SiteTexts texts;
  texts.config = "ClusterName = a\nPrivateData = jobs,usage\n";
  const auto conf = slurm::ParseSlurmConf({{{"slurm.conf", ConfText(texts, {})}}});
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_TRUE(conf->policy.private_data.jobs && conf->policy.private_data.usage);
  EXPECT_FALSE(conf->policy.private_data.users);
}

// What scontrol prints of a GPU node, brackets and a reason with words of its own included.
TEST(ConfTextTest, ANodeHasWhatItsWordsSayFirst) {
  SiteTexts texts;
  texts.config = "ClusterName = a\nPriorityFlags = (null)\n";
  texts.nodes =
      "NodeName=g1 CPUTot=64 Gres=gpu:a100:4(S:0-1) RealMemory=512000 State=DOWN Reason=Gres=none "
      "CPUTot=3\n";
  const std::string text = ConfText(texts, {});
  EXPECT_EQ(text, "ClusterName=a\nNodeName=g1 CPUs=64 RealMemory=512000 Gres=gpu:a100:4\n");
}

}  // namespace
}  // namespace priorityd::slurm_frontend
