#include "server/budgets/thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::budgets {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kThresholdMinute = 60;

// Account physics may use 100 billing minutes.
class ThresholdsTest : public testing::Test {
 protected:
  // The thresholds reported once ann has used so many; keeps those reported, as the service does.
  std::vector<int> TellAt(double minutes) {
    priority::SmallSite site;
    if (limit_ > 0) site.association("physics").limits.grp_tres_mins = {{"billing", limit_}};
    site.usage = {{"physics/ann", minutes * kThresholdMinute}};
    const auto snapshot = site.Build();
    const ThresholdChanges changes = FindChanges(*snapshot, {}, told_);
    for (const Threshold& threshold : changes.fallen) EXPECT_EQ(told_.erase(threshold), 1u);
    std::vector<int> percents;
    for (const ReachedThreshold& reached : changes.reached) {
      EXPECT_TRUE(told_.insert(reached.threshold).second);
      EXPECT_EQ(reached.threshold.account, "physics");
      EXPECT_EQ(reached.threshold.tres, "billing");
      EXPECT_DOUBLE_EQ(reached.used, minutes * kThresholdMinute);
      percents.push_back(reached.threshold.percent);
    }
    return percents;
  }

  double limit_ = 100;
  std::set<Threshold> told_;
};

TEST_F(ThresholdsTest, EachIsReportedOnceWhenItIsReached) {
  EXPECT_THAT(TellAt(49.9), IsEmpty());
  EXPECT_THAT(TellAt(50), ElementsAre(50));
  EXPECT_THAT(TellAt(79), IsEmpty());
  EXPECT_THAT(TellAt(80), ElementsAre(80));
  EXPECT_THAT(TellAt(140), ElementsAre(100));
  EXPECT_THAT(TellAt(150), IsEmpty());
}

TEST_F(ThresholdsTest, AJumpReportsAllThatItPasses) {
  EXPECT_THAT(TellAt(100), ElementsAre(50, 80, 100));
}

TEST_F(ThresholdsTest, UsageThatGoesUpAndDownAroundOneReportsItOnce) {
  EXPECT_THAT(TellAt(81), ElementsAre(50, 80));
  for (const double minutes : {79, 81, 60, 90, 45, 85}) EXPECT_THAT(TellAt(minutes), IsEmpty());
}

TEST_F(ThresholdsTest, BelowHalfOfItItCanBeReportedAgain) {
  EXPECT_THAT(TellAt(81), ElementsAre(50, 80));
  EXPECT_THAT(TellAt(39), IsEmpty());
  EXPECT_THAT(TellAt(81), ElementsAre(80));
  EXPECT_THAT(TellAt(0), IsEmpty());  // A reset.
  EXPECT_THAT(TellAt(81), ElementsAre(50, 80));
}

TEST_F(ThresholdsTest, ABudgetThatIsRemovedAndGivenAgainIsReportedAgain) {
  EXPECT_THAT(TellAt(60), ElementsAre(50));
  limit_ = 0;
  EXPECT_THAT(TellAt(60), IsEmpty());
  limit_ = 100;
  EXPECT_THAT(TellAt(60), ElementsAre(50));
}

// Whatever usage does: a threshold of a budget is reported again only if usage was below half of it
// since the last report.
TEST_F(ThresholdsTest, NoneIsReportedTwiceWithoutHavingFallen) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> minutes(0, 160);
  std::set<int> told;
  for (int i = 0; i < 500; ++i) {
    const double used = minutes(random);
    for (const int percent : {50, 80, 100}) {
      if (used < percent / 2.0) told.erase(percent);
    }
    std::vector<int> expected;
    for (const int percent : {50, 80, 100}) {
      if (used >= percent && told.insert(percent).second) expected.push_back(percent);
    }
    EXPECT_EQ(TellAt(used), expected) << used;
  }
}

}  // namespace
}  // namespace priorityd::budgets
