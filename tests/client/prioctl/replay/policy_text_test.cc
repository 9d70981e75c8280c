#include "client/prioctl/replay/policy_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Trial> Read(const std::string& text, const PlanningGiven& given = {}) {
  std::vector<std::string> notes;
  return ReadTrial({{"etc/a.conf", text}}, given, absl::InfinitePast(), &notes);
}

TEST(PolicyTextTest, ATrialIsThePolicyAndTheSchedulerOfItsFile) {
  const auto trial = Read(
      "PriorityType=priority/multifactor\nPriorityWeightFairshare=1000\n"
      "PriorityDecayHalfLife=1-0\nSchedulerType=sched/builtin\n"
      "SchedulerParameters=bf_max_job_test=77,bf_max_job_user=3,bf_window=60\n");
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->name, "a.conf");
  EXPECT_EQ(trial->options.policy.weight_fair_share, 1000u);
  EXPECT_EQ(trial->options.policy.half_life, absl::Hours(24));
  EXPECT_EQ(trial->options.plan.backfill, plan::Backfill::kNone);
  EXPECT_EQ(trial->options.plan.max_job_test, 77);
  EXPECT_EQ(trial->options.plan.max_job_user, 3);
  EXPECT_EQ(trial->options.plan.window, absl::Hours(1));
  EXPECT_EQ(AboutPolicy(trial->options),
            "priority/multifactor, fair_tree, half-life 1-00:00:00, FairShare 1000; no backfill");
}

TEST(PolicyTextTest, WhatIsTypedHoldsOverTheFile) {
  const auto trial = Read("SchedulerParameters=bf_max_job_test=77,bf_window=60\n",
                          {plan::Backfill::kConservative, 5, absl::Minutes(7)});
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->options.plan.backfill, plan::Backfill::kConservative);
  EXPECT_EQ(trial->options.plan.max_job_test, 5);
  EXPECT_EQ(trial->options.plan.window, absl::Minutes(7));
}

TEST(PolicyTextTest, FaultsNameFileAndLine) {
  EXPECT_THAT(Read("PriorityWeightAge=much\n").status().message(),
              HasSubstr("etc/a.conf line 1: PriorityWeightAge: got \"much\""));
}

TEST(PolicyTextTest, AValueThatSlurmctldReplacesByItsDefaultIsANote) {
  std::vector<std::string> notes;
  const auto trial =
      ReadTrial({{"etc/a.conf", "\nSchedulerType=sched/mine\n"}}, {}, absl::InfinitePast(), &notes);
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_THAT(notes, ::testing::Contains(
                         HasSubstr("etc/a.conf line 2: SchedulerType: got \"sched/mine\"")));
}

TEST(PolicyTextTest, FifoIsBasic) {
  EXPECT_EQ(AboutPolicy(FifoTrial({}, absl::InfinitePast()).options),
            "priority/basic; EASY backfill");
}

}  // namespace
}  // namespace priorityd::replay
