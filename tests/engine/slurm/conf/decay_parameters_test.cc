#include "engine/slurm/conf/decay_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

// The interval of SLURM 2.0's document.
TEST(DecayParametersTest, AResetPeriodIsAWordOrAnInterval) {
  const priority::Policy policy =
      PolicyOf("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=28-0\n");
  EXPECT_EQ(policy.reset_period, priority::ResetPeriod::kInterval);
  EXPECT_EQ(policy.reset_interval, absl::Hours(28 * 24));
  EXPECT_EQ(PolicyOf("PriorityUsageResetPeriod=now").reset_period, priority::ResetPeriod::kNow);
  EXPECT_EQ(PolicyOf("PriorityUsageResetPeriod=Quarterly").reset_period,
            priority::ResetPeriod::kQuarterly);
  for (const char* text : {"0", "UNLIMITED", "HOURLY", ""}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("PriorityUsageResetPeriod=", text)),
              absl::StrCat("slurm.conf line 1: PriorityUsageResetPeriod: got \"", text,
                           "\", want NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an "
                           "interval above 0 such as 28-0"));
  }
}

TEST(DecayParametersTest, TimesAreReadAsSlurmWritesThem) {
  EXPECT_EQ(PolicyOf("PriorityDecayHalfLife=14-12").half_life, absl::Hours(14 * 24 + 12));
  EXPECT_EQ(PolicyOf("PriorityCalcPeriod=1:30").calc_period, absl::Minutes(2));
  EXPECT_EQ(PolicyOf("PriorityMaxAge=0").max_age, absl::ZeroDuration());
}

TEST(DecayParametersTest, UnlimitedIsWhatSlurmTakesForIt) {
  for (const char* word : {"UNLIMITED", "INFINITE", "-1"}) {
    const priority::Policy policy = PolicyOf(absl::StrCat("PriorityMaxAge=", word));
    EXPECT_EQ(policy.max_age, absl::Seconds(4294967236)) << word;
    EXPECT_EQ(WriteMaxAge(policy), "UNLIMITED");
    EXPECT_FALSE(PolicyOf(absl::StrCat("PriorityDecayHalfLife=", word)).decays()) << word;
  }
}

}  // namespace
}  // namespace priorityd::slurm
