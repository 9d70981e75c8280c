#include "server/configuration/stored_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace priorityd::configuration {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'767'571'200);

priority::Policy WithHalfLife(absl::Duration half_life) {
  priority::Policy policy;
  policy.half_life = half_life;
  return policy;
}

TEST(StoredPolicyTest, BeforeTheFirstVersionEveryParameterHasItsDefault) {
  const auto conf = ParseStored(std::nullopt);
  ASSERT_TRUE(conf.ok());
  EXPECT_EQ((*conf)->policy.half_life, absl::Hours(7 * 24));
}

TEST(StoredPolicyTest, OfANewerProgramsTextWhatThisOneKnowsIsInForce) {
  storage::PolicyVersion version;
  version.files = {{"slurm.conf",
                    "PriorityNovelty=7\nPriorityFlags=NOVEL_FLAG,INCR_ONLY\n"
                    "PriorityWeightAge=x\nPriorityWeightJobSize=12\n"}};
  const auto conf = ParseStored(version);
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ((*conf)->policy.weight_job_size, 12);
  EXPECT_TRUE((*conf)->policy.incr_only);
  EXPECT_THAT((*conf)->unread,
              ElementsAre(HasSubstr("PriorityNovelty"), HasSubstr("PriorityWeightAge")));
  EXPECT_THAT((*conf)->losses, ElementsAre(HasSubstr("NOVEL_FLAG")));
}

TEST(StoredPolicyTest, ATextWithoutAFileItIncludesIsABug) {
  storage::PolicyVersion version;
  version.files = {{"slurm.conf", "Include priority.conf\n"}};
  EXPECT_TRUE(absl::IsInternal(ParseStored(version).status()));
}

TEST(StoredPolicyTest, TheFirstHalfLifeHoldsForAllThePast) {
  const auto change = TimelineChange({}, WithHalfLife(absl::Hours(1)), kNow, kNow);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->effective_at, absl::InfinitePast());
  EXPECT_EQ(change->half_life, absl::Hours(1));
}

TEST(StoredPolicyTest, TheSameHalfLifeIsNoChange) {
  const std::vector<storage::HalfLife> timeline = {{absl::InfinitePast(), absl::Hours(1)}};
  EXPECT_FALSE(TimelineChange(timeline, WithHalfLife(absl::Hours(1)), kNow, kNow).has_value());
}

TEST(StoredPolicyTest, AnotherHalfLifeHoldsFromTheNewestUsageOnAtTheEarliest) {
  const std::vector<storage::HalfLife> timeline = {{absl::InfinitePast(), absl::Hours(1)}};
  const priority::Policy policy = WithHalfLife(absl::InfiniteDuration());
  const absl::Time ahead = kNow + absl::Seconds(30);
  EXPECT_EQ(TimelineChange(timeline, policy, kNow, ahead)->effective_at, ahead);
  EXPECT_EQ(TimelineChange(timeline, policy, kNow, absl::InfinitePast())->effective_at, kNow);
  EXPECT_EQ(TimelineChange(timeline, policy, kNow, kNow)->half_life, std::nullopt);
}

TEST(StoredPolicyTest, NowIsAFloorFromItsApplicationOnAndNoPeriod) {
  priority::Policy policy;
  policy.reset_period = priority::ResetPeriod::kNow;
  storage::PolicyVersion version;
  version.reset_anchor = kNow - absl::Seconds(30);
  version.reset_floor = kNow;
  const priority::ResetRule rule = ResetRuleOf(policy, version);
  EXPECT_EQ(priority::LastReset(rule, kNow + absl::Hours(1)), kNow);
  EXPECT_EQ(priority::LastReset(rule, kNow - absl::Seconds(30)), kNow);
  EXPECT_EQ(priority::LastReset(rule, kNow - absl::Seconds(31)), absl::InfinitePast());
}

}  // namespace
}  // namespace priorityd::configuration
