#include "engine/priority/jobs/age_rule.h"

#include <gtest/gtest.h>

#include <memory>

#include "engine/priority/jobs/job_demand.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

class AgeRuleTest : public testing::Test {
 protected:
  bool StandsStill() const {
    const std::unique_ptr<const Snapshot> snapshot = site_.Build();
    return AgeRule(*snapshot).StandsStill(job_, JobResolver(*snapshot).Resolve(job_),
                                          TresCountOf(job_, "node"));
  }
  void Limit(LimitKind kind, absl::string_view tres, double value) {
    site_.association("physics").limits.others = {{kind, std::string(tres), value}};
  }

  SmallSite site_;
  Job job_ = JobOf("1");
};

TEST_F(AgeRuleTest, OnePairThatTakesTheJobIsEnough) {
  job_.partitions = {"fast", "main"};
  job_.nodes = 5;  // `fast` has four.
  EXPECT_FALSE(StandsStill());
  job_.partitions = {"fast"};
  EXPECT_TRUE(StandsStill());
}

TEST_F(AgeRuleTest, NodesAndTimeThatEqualALimitFit) {
  job_.nodes = 3;
  job_.time_limit = absl::Hours(2);
  Limit(LimitKind::kMaxTres, "node", 3);
  EXPECT_FALSE(StandsStill());
  Limit(LimitKind::kMaxTres, "node", 2);
  EXPECT_TRUE(StandsStill());
  Limit(LimitKind::kMaxWall, "", 7200);
  EXPECT_FALSE(StandsStill());
  Limit(LimitKind::kMaxWall, "", 7199);
  EXPECT_TRUE(StandsStill());
}

TEST_F(AgeRuleTest, AJobWithoutATimeLimitHasThatOfMaxWall) {
  Limit(LimitKind::kMaxWall, "", 60);
  EXPECT_FALSE(StandsStill());
}

TEST_F(AgeRuleTest, LimitsOfOtherThingsStopNothing) {
  job_.nodes = 3;
  job_.cpus = 24;
  job_.time_limit = absl::Hours(2);
  for (const LimitKind kind : {LimitKind::kMaxTres, LimitKind::kGrpTres, LimitKind::kMaxTresMins,
                               LimitKind::kGrpTresRunMins, LimitKind::kMaxTresPerNode}) {
    Limit(kind, "cpu", 1);
    EXPECT_FALSE(StandsStill());
  }
  Limit(LimitKind::kMaxTresMins, "node", 1);
  EXPECT_FALSE(StandsStill());
  Limit(LimitKind::kGrpJobs, "", 0);
  EXPECT_FALSE(StandsStill());
}

TEST_F(AgeRuleTest, AQosLimitIsLookedAtInsteadAndLimitFactorCounts) {
  job_.nodes = 4;
  Limit(LimitKind::kMaxTres, "node", 3);
  job_.qos = {"high"};
  EXPECT_TRUE(StandsStill());
  site_.qos("high").limit_factor = 1.5;
  EXPECT_FALSE(StandsStill());
  site_.qos("high").limit_factor = 1;
  site_.qos("high").other_limits = {{LimitKind::kMaxTres, "node", 4}};
  EXPECT_FALSE(StandsStill());
}

TEST_F(AgeRuleTest, LimitsStopNothingUnderAccrueAlwaysNorWithoutEnforcement) {
  job_.time_limit = absl::Hours(2);
  Limit(LimitKind::kMaxWall, "", 60);
  site_.source.policy.accrue_always = true;
  EXPECT_FALSE(StandsStill());
  site_.source.policy.accrue_always = false;
  EXPECT_TRUE(StandsStill());
  site_.source.policy.enforce.limits = false;
  EXPECT_FALSE(StandsStill());
}

TEST_F(AgeRuleTest, AJobOfNobodyGrowsOlderUnlessItIsHeld) {
  job_.account = "nobody";
  job_.nodes = 100;
  EXPECT_FALSE(StandsStill());
  job_.hold = Hold::kAdmin;
  EXPECT_TRUE(StandsStill());
}

TEST(AccruesFromTest, ContinuesFromTheMomentOrTheBeginTimeAndNotBeforeItStopped) {
  Job job = JobOf("1");
  job.accrual_stopped = kNow;
  EXPECT_EQ(AccruesFrom(job, kNow + absl::Hours(2)), kNow + absl::Hours(2));
  EXPECT_EQ(AccruesFrom(job, kNow - absl::Hours(2)), kNow);
  job.eligible_time = kNow + absl::Hours(5);
  EXPECT_EQ(AccruesFrom(job, kNow + absl::Hours(2)), kNow + absl::Hours(5));
}

}  // namespace
}  // namespace priorityd::priority
