#include "engine/explanation/policy_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/slurm/conf/policy_parameter_table.h"
#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PolicyLintTest : public testing::Test {
 protected:
  // A policy with nothing to complain about.
  PolicyLintTest() {
    site_.usage = {{"physics/ann", 300}, {"physics/bob", 100}, {"chemistry/cat", 600}};
    policy_.weight_age = 1000;
    policy_.max_age = absl::Hours(4);
    policy_.weight_fair_share = 3000;
    policy_.weight_qos = 500;
  }

  priority::Job& Add(absl::string_view job_id) {
    return jobs_.emplace_back(priority::JobOf(job_id));
  }
  PolicyLint Lint() {
    snapshot_ = site_.Build();
    PolicyLint lint = LintPolicy(*snapshot_, jobs_, priority::kNow);
    for (const PolicyFinding& finding : lint.findings) {
      const slurm::PolicyParameter* parameter = slurm::FindPolicyParameter(finding.parameter);
      EXPECT_TRUE(parameter != nullptr && parameter->name == finding.parameter)
          << finding.parameter << " is no parameter of a policy";
    }
    return lint;
  }
  std::vector<std::string> Codes() {
    std::vector<std::string> codes;
    for (const PolicyFinding& finding : Lint().findings) codes.emplace_back(finding.code);
    return codes;
  }
  std::vector<std::string> Messages() {
    std::vector<std::string> messages;
    for (const PolicyFinding& finding : Lint().findings) messages.push_back(finding.message);
    return messages;
  }
  FactorRange Range(absl::string_view name) {
    const PolicyLint lint = Lint();
    for (const FactorRange& range : lint.factors.ranges) {
      if (range.name == name) return range;
    }
    ADD_FAILURE() << "no factor " << name;
    return {};
  }

  priority::SmallSite site_;
  priority::Policy& policy_ = site_.source.policy;
  std::vector<priority::Job> jobs_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
};

// --- Ranges ------------------------------------------------------------------------------

TEST_F(PolicyLintTest, RangesAreThoseOfTheRowsThatCanStart) {
  Add("1").submit_time = priority::kNow - absl::Hours(3);
  Add("2").submit_time = priority::kNow - absl::Hours(1);
  Add("3").nice = -20;
  Add("held").hold = priority::Hold::kUser;
  Add("admin").admin_priority = 5;
  Add("running").state = priority::JobState::kRunning;
  jobs_.back().submit_time = priority::kNow - absl::Hours(100);
  EXPECT_EQ(Lint().factors.rows, 3u);
  EXPECT_DOUBLE_EQ(Range("age").lowest_factor, 0.25);
  EXPECT_DOUBLE_EQ(Range("age").highest_factor, 0.75);
  EXPECT_DOUBLE_EQ(Range("age").range(), 500);
  EXPECT_DOUBLE_EQ(Range("nice").lowest_contribution, 0);
  EXPECT_DOUBLE_EQ(Range("nice").highest_contribution, 20);
  EXPECT_EQ(Range("fair_share").range(), 0);
}

TEST_F(PolicyLintTest, WithoutAQueueTheyAreThosePossible) {
  policy_.weight_tres = {{"cpu", -10}, {"gres/gpu", 10}};
  EXPECT_EQ(Lint().factors.rows, 0u);
  EXPECT_DOUBLE_EQ(Range("age").highest_contribution, 1000);
  // Of three users the last has 1/3.
  EXPECT_DOUBLE_EQ(Range("fair_share").lowest_contribution, 1000);
  EXPECT_DOUBLE_EQ(Range("fair_share").highest_contribution, 3000);
  EXPECT_DOUBLE_EQ(Range("qos").range(), 500);
  EXPECT_DOUBLE_EQ(Range("tres/cpu").lowest_contribution, -10);
  EXPECT_DOUBLE_EQ(Range("tres/cpu").highest_contribution, 0);
  EXPECT_EQ(Range("tres/gres/gpu").range(), 0);
}

TEST_F(PolicyLintTest, AFactorOverturnsThoseOfASmallerRange) {
  EXPECT_THAT(Range("fair_share").overturns, ElementsAre("age", "qos"));
  EXPECT_THAT(Range("age").overturns, ElementsAre("qos"));
  EXPECT_THAT(Range("qos").overturns, IsEmpty());
}

TEST_F(PolicyLintTest, RawFactorsGoAsFarAsTheTotals) {
  policy_.no_normal_tres = true;
  policy_.weight_tres = {{"cpu", 2}};
  EXPECT_DOUBLE_EQ(Range("tres/cpu").highest_contribution, 128);  // Of 64 CPUs.
}

// --- Findings ------------------------------------------------------------------------------

// As the import of such a slurm.conf warns.
TEST_F(PolicyLintTest, UsageThatNeitherDecaysNorIsResetIsAFinding) {
  policy_.half_life = absl::InfiniteDuration();
  policy_.reset_period = priority::ResetPeriod::kNone;
  EXPECT_THAT(Codes(), ElementsAre("USAGE_COUNTS_FOR_EVER"));
  policy_.reset_period = priority::ResetPeriod::kMonthly;
  EXPECT_THAT(Codes(), IsEmpty());
}

TEST_F(PolicyLintTest, ASoundPolicyHasNoFindings) {
  EXPECT_THAT(Codes(), IsEmpty());
  Add("1");
  EXPECT_THAT(Codes(), IsEmpty());
}

TEST_F(PolicyLintTest, AFairShareWeightBelowTheNumberOfUsersMakesNeighboursEqual) {
  policy_.weight_fair_share = 2;
  EXPECT_THAT(Messages(), ElementsAre(Golden("lint", "fair-share-weight")));
  policy_.weight_fair_share = 3;
  EXPECT_THAT(Codes(), IsEmpty());
  policy_.weight_fair_share = 2;
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  EXPECT_THAT(Codes(), IsEmpty());
}

TEST_F(PolicyLintTest, AWeightOnAConstantFactorIsReported) {
  policy_.weight_partition = 1000;
  policy_.weight_assoc = 10;
  policy_.weight_tres = {{"gres/gpu", 5}};
  site_.source.qos.resize(1);
  EXPECT_THAT(Messages(),
              ElementsAre(Golden("lint", "same-assoc"), Golden("lint", "same-partition"),
                          Golden("lint", "one-qos"), Golden("lint", "no-tres")));
}

TEST_F(PolicyLintTest, TheLossByTheCutToIntegersIsReported) {
  policy_.weight_tres = {{"cpu", 0.5}};
  EXPECT_THAT(Codes(), ElementsAre("BELOW_ONE_POINT"));
}

TEST_F(PolicyLintTest, AgeThatNeverGrowsOrNeverFillsIsReported) {
  Add("1");
  policy_.max_age = absl::Hours(100);
  EXPECT_THAT(Messages(), ElementsAre(Golden("lint", "age-far-from-full")));
  policy_.max_age = priority::kUnlimitedAge;
  EXPECT_THAT(Messages(), ElementsAre(HasSubstr("with PriorityMaxAge=UNLIMITED age never grows")));
}

// fair_share differs by 2/3 of 3000 and qos by 500: 2500 points, of which 25,000 are ten times as
// many; a tenth of the 4 hours of PriorityMaxAge then decides.
TEST_F(PolicyLintTest, AgeThatOutweighsAllOthersMakesTheQueueFirstComeFirstServed) {
  policy_.weight_age = 24'999;
  EXPECT_THAT(Codes(), IsEmpty());
  policy_.weight_age = 25'000;
  EXPECT_THAT(Codes(), ElementsAre("FIRST_COME_FIRST_SERVED"));
  EXPECT_THAT(Messages()[0], HasSubstr("PriorityWeightAge is 25000, 10 times the 2500 points by "
                                       "which all other factors together can differ: a job that "
                                       "was submitted 00:24:00 earlier starts first"));
  policy_.weight_fair_share = policy_.weight_qos = 0;
  EXPECT_THAT(Codes(), IsEmpty());  // Meant so.
}

TEST_F(PolicyLintTest, FirstComeFirstServedIsShownByAPairOfTheQueue) {
  policy_.weight_age = 50'000;
  site_.usage = {{"physics/bob", 100}, {"chemistry/cat", 600}};
  Add("10");  // Of ann, who has used nothing.
  priority::Job& old = Add("9");
  old.account = "chemistry";
  old.user = "cat";
  old.submit_time = priority::kNow - absl::Hours(3);
  EXPECT_THAT(Messages()[0], HasSubstr(Golden("lint", "overtaken-by-age")));
}

TEST_F(PolicyLintTest, SumsAboveTheLargestPriorityAreReported) {
  policy_.weight_age = policy_.weight_fair_share = 4294967295u;
  EXPECT_THAT(Codes(), ElementsAre("PRIORITY_OVERFLOW"));
}

TEST_F(PolicyLintTest, PoliciesWithoutPrioritiesAreReported) {
  policy_.priority_type = priority::PriorityType::kBasic;
  EXPECT_THAT(Codes(), ElementsAre("PRIORITY_BASIC"));
  EXPECT_THAT(Lint().factors.ranges, IsEmpty());
  policy_ = priority::Policy();
  EXPECT_THAT(Codes(), ElementsAre("NO_WEIGHT"));
}

TEST_F(PolicyLintTest, ParametersThatNothingReadsAreReported) {
  policy_.dampening_factor = 3;
  policy_.favor_small = true;
  policy_.preempt_exempt_time = absl::Minutes(10);
  EXPECT_THAT(Codes(), ElementsAre("IGNORED_PARAMETER", "IGNORED_PARAMETER", "IGNORED_PARAMETER"));
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  policy_.weight_job_size = 10;
  policy_.preempt_by_qos = true;
  EXPECT_THAT(Codes(), IsEmpty());
}

TEST_F(PolicyLintTest, AClusterWithoutATotalOfWhatHasAPriceBoundsNoUsage) {
  site_.source.cluster.cpus = 0;
  for (priority::Partition& partition : site_.source.partitions) partition.tres.clear();
  EXPECT_THAT(Codes(), testing::Contains("USAGE_UNBOUNDED"));
  EXPECT_THAT(Messages(), testing::Contains(HasSubstr("No total of cpu is known")));
  policy_.usage_headroom = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Codes(), testing::Not(testing::Contains("USAGE_UNBOUNDED")));
}

}  // namespace
}  // namespace priorityd::explanation
