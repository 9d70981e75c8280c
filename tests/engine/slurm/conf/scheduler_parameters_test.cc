#include "engine/slurm/conf/scheduler_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

SlurmConf SchedulerConf(const std::string& text) {
  const std::vector<SourceFile> files = {{"slurm.conf", text}};
  const absl::StatusOr<SlurmConf> conf = ParseSlurmConf(files);
  EXPECT_TRUE(conf.ok()) << conf.status();
  return conf.ok() ? *conf : SlurmConf();
}

TEST(SchedulerParametersTest, WordsInAnyCaseAreRead) {
  const SlurmConf conf = SchedulerConf(
      "schedulertype=SCHED/Builtin\n"
      "SchedulerParameters=\"default_queue_depth=1000,BF_max_job_test=900,bf_max_job_user=10,"
      "bf_max_job_assoc=0, bf_max_job_part=20,bf_window=2880,bf_continue\"\n"
      "PartitionNodeCaps=owner1=8,owner2=0\n");
  const priority::Scheduling& scheduling = conf.policy.scheduling;
  EXPECT_FALSE(scheduling.backfill);
  EXPECT_EQ(scheduling.max_job_test, 900u);
  EXPECT_EQ(scheduling.max_job_user, 10u);
  EXPECT_EQ(scheduling.max_job_assoc, 0u);
  EXPECT_EQ(scheduling.max_job_part, 20u);
  EXPECT_EQ(scheduling.window, absl::Hours(48));
  EXPECT_THAT(scheduling.node_caps, ElementsAre(Pair("owner1", 8u), Pair("owner2", 0u)));
  EXPECT_THAT(conf.losses, IsEmpty());
  EXPECT_TRUE(conf.has_policy);
}

TEST(SchedulerParametersTest, AMissingParameterHasTheDefaultOfSlurm) {
  EXPECT_EQ(SchedulerConf("NodeName=n1 CPUs=2\n").policy.scheduling, priority::Scheduling());
  EXPECT_TRUE(priority::Scheduling().backfill);
}

TEST(SchedulerParametersTest, AWrittenValueReadsAsTheSame) {
  const priority::Policy policy =
      SchedulerConf("SchedulerParameters=bf_window=60,bf_max_job_user=3\n").policy;
  EXPECT_EQ(WriteSchedulerParameters(policy), "bf_max_job_user=3,bf_window=60");
  const std::string text = absl::StrCat("SchedulerType=", WriteSchedulerType(policy),
                                        "\nSchedulerParameters=", WriteSchedulerParameters(policy),
                                        "\nPartitionNodeCaps=", WritePartitionNodeCaps(policy));
  EXPECT_EQ(SchedulerConf(text).policy, policy);
}

TEST(SchedulerParametersTest, AValueThatSlurmctldReplacesByItsDefaultIsALoss) {
  const SlurmConf conf = SchedulerConf(
      "SchedulerType=sched/mine\n"
      "SchedulerParameters=bf_max_job_test=0,bf_window=43201,bf_max_job_user=-1\n");
  EXPECT_EQ(conf.policy.scheduling, priority::Scheduling());
  EXPECT_THAT(conf.losses,
              ElementsAre("slurm.conf line 1: SchedulerType: got \"sched/mine\", want "
                          "sched/backfill or sched/builtin",
                          "slurm.conf line 2: SchedulerParameters: bf_max_job_test: got \"0\", "
                          "want a number from 1 to 1000000",
                          "slurm.conf line 2: SchedulerParameters: bf_window: got \"43201\", want "
                          "a number from 1 to 43200",
                          "slurm.conf line 2: SchedulerParameters: bf_max_job_user: got \"-1\", "
                          "want a number from 0 to 1000000"));
}

TEST(SchedulerParametersTest, ACapThatCannotBeReadIsAnError) {
  for (const char* caps : {"owner1", "owner1=", "owner1=-1", "=4", "owner1=4,owner1=5"}) {
    const std::vector<SourceFile> files = {
        {"slurm.conf", absl::StrCat("PartitionNodeCaps=", caps, "\n")}};
    EXPECT_EQ(ErrorTexts(ParseSlurmConf(files).status()).size(), 1u) << caps;
  }
}

}  // namespace
}  // namespace priorityd::slurm
