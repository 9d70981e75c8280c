#include "engine/slurm/conf/scheduler_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;

absl::StatusOr<SchedulerParameters> ParametersOf(const std::string& text) {
  const std::vector<SourceFile> files = {{"slurm.conf", text}};
  return ParseSchedulerParameters(files);
}

TEST(SchedulerParametersTest, WordsInAnyCaseAreRead) {
  const auto read = ParametersOf(
      "schedulertype=SCHED/Backfill\n"
      "SchedulerParameters=default_queue_depth=1000,BF_max_job_test=900,bf_max_job_user=10,"
      "bf_max_job_assoc=0,bf_max_job_part=20,bf_window=2880,bf_continue\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->backfill, true);
  EXPECT_EQ(read->max_job_test, 900u);
  EXPECT_EQ(read->max_job_user, 10u);
  EXPECT_EQ(read->max_job_assoc, 0u);
  EXPECT_EQ(read->max_job_part, 20u);
  EXPECT_EQ(read->window, absl::Hours(48));
}

TEST(SchedulerParametersTest, WhatIsNotSaidIsUnset) {
  const auto read = ParametersOf("SchedulerType=sched/builtin\nNodeName=n1 CPUs=2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->backfill, false);
  EXPECT_EQ(read->max_job_test, std::nullopt);
  EXPECT_EQ(read->window, std::nullopt);
}

TEST(SchedulerParametersTest, FaultsAreNamedByLine) {
  EXPECT_THAT(
      ErrorTexts(
          ParametersOf("SchedulerType=sched/mine\n"
                       "SchedulerParameters=bf_max_job_test=0,bf_window=43201,bf_max_job_user=-1\n")
              .status()),
      ElementsAre("slurm.conf line 1: SchedulerType: got \"sched/mine\", want sched/backfill or "
                  "sched/builtin",
                  "slurm.conf line 2: SchedulerParameters: bf_max_job_test: got \"0\", want a "
                  "number from 1 "
                  "to 1000000",
                  "slurm.conf line 2: SchedulerParameters: bf_window: got \"43201\", want a number "
                  "from 1 to "
                  "43200",
                  "slurm.conf line 2: SchedulerParameters: bf_max_job_user: got \"-1\", want a "
                  "number from 0 "
                  "to 1000000"));
}

}  // namespace
}  // namespace priorityd::slurm
