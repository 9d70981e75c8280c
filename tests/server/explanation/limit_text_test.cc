#include "server/explanation/limit_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/priority/ranking_fixture.h"

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

TEST_F(LimitTextTest, ALimitOnWhatRunsTellsWhatItIsWhatRunsAndWhatIsWanted) {
  EXPECT_EQ(TextUnder({{LimitKind::kGrpTres, "cpu", 64}}),
            "account physics may run 64 CPUs (GrpTRES cpu=64): 60 run, this job wants 8");
  EXPECT_EQ(TextUnder({{LimitKind::kGrpJobs, "", 1}}),
            "account physics may run 1 jobs (GrpJobs=1): 1 run");
  EXPECT_EQ(TextUnder({{LimitKind::kMaxJobs, "", 0}}),
            "user ann in account physics may run 0 jobs (MaxJobs=0): 0 run");
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMaxTresPerAccount, "cpu", 64}}),
            "account physics: QOS high may run 64 CPUs (MaxTRESPA cpu=64): 60 run, this job wants "
            "8");
}

TEST_F(LimitTextTest, ALimitOfOneJobTellsWhatItWants) {
  EXPECT_EQ(TextUnder({{LimitKind::kMaxTres, "cpu", 4}}),
            "account physics lets a job have 4 CPUs (MaxTRES cpu=4): this job wants 8");
  EXPECT_EQ(TextUnder({{LimitKind::kMaxWall, "", 1800}}),
            "account physics lets a job run 30 minutes (MaxWall=30): this job wants 60");
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMaxTresPerNode, "cpu", 3}}),
            "QOS high lets a job have 3 CPUs on a node (MaxTRESPerNode cpu=3): this job wants 4");
  EXPECT_EQ(TextUnder({}, {{LimitKind::kMinTres, "cpu", 9}}),
            "QOS high wants at least 9 CPUs in a job (MinTRES cpu=9): this job wants 8");
}

TEST_F(LimitTextTest, MinutesOfWhatRunsAreToldAsASum) {
  EXPECT_EQ(TextUnder({{LimitKind::kGrpTresRunMins, "cpu", 4000}}),
            "account physics: GrpTRESRunMins cpu=4000: 3600 for running jobs + 480 for this job = "
            "4080");
}

}  // namespace
}  // namespace priorityd::explanation
