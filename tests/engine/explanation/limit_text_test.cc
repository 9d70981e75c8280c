#include "engine/explanation/limit_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::explanation {
namespace {

using priority::Job;
using priority::LimitKind;
using priority::LimitValue;

class LimitTextTest : public priority::RankingTest {
 protected:
  // What is said of a job of ann in physics that wants 8 CPUs on 2 nodes for an hour, while one of
  // bob's runs on 60 CPUs.
  std::string TextUnder(const std::vector<LimitValue>& of_physics,
                        const std::vector<LimitValue>& of_high = {}) {
    site_.association("physics").limits.others = of_physics;
    site_.qos("high").other_limits = of_high;
    jobs_.clear();
    Job& running = Add("0");
    running.user = "bob";
    running.cpus = 60;
    running.qos = {"high"};
    running.state = priority::JobState::kRunning;
    running.time_limit = absl::Hours(1);
    Job& waiting = Add("1");
    waiting.cpus = 8;
    waiting.nodes = 2;
    waiting.qos = {"high"};
    waiting.time_limit = absl::Hours(1);
    RankJobs();
    if (ranking_.ineligible.size() != 1) return "not kept back";
    const priority::IneligibleRow& row = ranking_.ineligible[0];
    return LimitText(*snapshot_, row.association, *row.why.exceeded);
  }
};

TEST_F(LimitTextTest, ALimitOnRunningJobsStatesItsValueTheUseAndTheRequest) {
  EXPECT_EQ(TextUnder({{LimitKind::kGrpTres, "cpu", 64}}), Golden("limits", "grp-tres"));
  EXPECT_EQ(TextUnder({{LimitKind::kGrpJobs, "", 1}}), Golden("limits", "grp-jobs"));
  EXPECT_EQ(TextUnder({{LimitKind::kMaxJobs, "", 0}}), Golden("limits", "max-jobs"));
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMaxTresPerAccount, "cpu", 64}}),
            Golden("limits", "max-tres-per-account"));
}

TEST_F(LimitTextTest, ALimitHasEveryDigit) {
  EXPECT_THAT(TextUnder({{LimitKind::kMinTres, "cpu", 98'765'432'101}}),
              testing::HasSubstr("98765432101"));
}

TEST_F(LimitTextTest, ALimitOfOneJobStatesTheRequest) {
  EXPECT_EQ(TextUnder({{LimitKind::kMaxTres, "cpu", 4}}), Golden("limits", "max-tres"));
  EXPECT_EQ(TextUnder({{LimitKind::kMaxWall, "", 1800}}), Golden("limits", "max-wall"));
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMaxTresPerNode, "cpu", 3}}),
            Golden("limits", "max-tres-per-node"));
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMinTres, "cpu", 9}}), Golden("limits", "min-tres"));
}

TEST_F(LimitTextTest, MinutesOfRunningJobsAreStatedAsASum) {
  EXPECT_EQ(TextUnder({{LimitKind::kGrpTresRunMins, "cpu", 4000}}),
            Golden("limits", "grp-tres-run-mins"));
}

}  // namespace
}  // namespace priorityd::explanation
