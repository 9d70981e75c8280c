// Used up grants that lower priorities or cap running jobs, on the small site.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/scoring.h"
#include "tests/engine/priority/ranking/grant_ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// --- A part of a factor, and a band -------------------------------------------------------

// Only QOS count: 1000 points for high.
class GrantLoweringTest : public GrantRankingTest {
 protected:
  GrantLoweringTest() {
    ClearWeights();
    site_.source.policy.weight_qos = 1000;
    Add("1").qos = {"high"};
    OfCat(Add("2")).qos = {"high"};
  }

  void ClearWeights() {
    Policy& policy = site_.source.policy;
    policy.weight_age = policy.weight_assoc = policy.weight_fair_share = 0;
    policy.weight_job_size = policy.weight_partition = 0;
    policy.weight_tres.clear();
  }
  GrantStanding& AddLowering(GrantConsequence consequence, double most) {
    GrantStanding& grant = AddGrant({"physics"}, "billing", 100, 100);
    grant.consequence = consequence;
    grant.measure.factor = ReducedFactor::kQos;
    grant.measure.most = most;
    return grant;
  }
  std::vector<std::string> Priorities() {
    RankJobs();
    std::vector<std::string> lines;
    for (const RankedRow& row : ranking_.ranked) {
      lines.push_back(absl::StrCat(jobs_[row.job].job_id, ": ", *row.priority));
    }
    return lines;
  }
};

TEST_F(GrantLoweringTest, APartOfAFactorCounts) {
  AddLowering(GrantConsequence::kReduce, 0.25);
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000", "1: 250"));
  EXPECT_EQ(ranking_.ranked[1].contributions->qos, 250);
  EXPECT_EQ(ranking_.ranked[1].factors->qos, 1) << "the factor itself stays";
  site_.source.grants.Change(0).measure.factor = ReducedFactor::kAge;
  EXPECT_THAT(Priorities(), ElementsAre("1: 1000", "2: 1000"));
  site_.source.grants.Change(0).measure.factor = ReducedFactor::kAll;
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000", "1: 250"));
  site_.source.grants.Change(0).used = 99 * kPerMinute;
  EXPECT_THAT(Priorities(), ElementsAre("1: 1000", "2: 1000"));
}

TEST_F(GrantLoweringTest, ANiceValueCountsInFull) {
  AddLowering(GrantConsequence::kReduce, 0.5).measure.factor = ReducedFactor::kAll;
  jobs_[0].nice = 100;
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000", "1: 400"));
}

TEST_F(GrantLoweringTest, ABandIsTheHighestPriority) {
  AddLowering(GrantConsequence::kBand, 70);
  Add("3");
  jobs_[2].qos = {"normal"};
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000", "1: 70", "3: 1"));
  EXPECT_EQ(ranking_.ranked[1].contributions->qos, 1000) << "the points stay";
  site_.source.grants.Change(0).measure.most = 4294967295;
  EXPECT_THAT(Priorities(), ElementsAre("1: 1000", "2: 1000", "3: 1"));
}

TEST_F(GrantLoweringTest, APriorityOfAnAdministratorStays) {
  AddLowering(GrantConsequence::kBand, 70);
  AddLowering(GrantConsequence::kReduce, 0);
  jobs_[0].admin_priority = 2000;
  EXPECT_THAT(Priorities(), ElementsAre("1: 2000", "2: 1000"));
}

TEST_F(GrantLoweringTest, UnderIncrOnlyAPriorityDoesNotFall) {
  site_.source.policy.incr_only = true;
  jobs_[0].previous_priority = 900;
  AddLowering(GrantConsequence::kBand, 70);
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000", "1: 900"));
}

TEST_F(GrantLoweringTest, TheTermsOfARowSumToItsPriority) {
  AddLowering(GrantConsequence::kReduce, 0.5);
  AddLowering(GrantConsequence::kBand, 70);
  snapshot_ = site_.Build();
  const FactorScale scale(*snapshot_);
  const JobTable table = BuildJobTable(scale, jobs_, kNow);
  const RowTerms terms = TermsOf(table, scale, kNow, 0);
  EXPECT_EQ(terms[static_cast<size_t>(Term::kQos)], 500);
  EXPECT_EQ(terms[static_cast<size_t>(Term::kBand)], -430);
  EXPECT_EQ(LargestPriority(table, scale, 0, 1e18), 70u);
  EXPECT_EQ(LargestPriority(table, scale, 1, 1e18), 1000u);
}

// --- Cap --------------------------------------------------------------------------------

class GrantCapTest : public GrantRankingTest {
 protected:
  GrantStanding& AddCap(double most) {
    GrantStanding& grant = AddGrant({"physics", "chemistry"}, "billing", 100, 100);
    grant.consequence = GrantConsequence::kCap;
    grant.measure = {.most = most, .tres = "cpu"};
    return grant;
  }
  void Run(Job& job) {
    job.state = JobState::kRunning;
    job.start_time = kNow;
  }
};

TEST_F(GrantCapTest, TheRunningJobsOfAllItsAccountsCount) {
  AddCap(8);
  Run(AddWanting("0", 4, 10));
  Run(OfCat(AddWanting("1", 1, 10)));
  AddWanting("2", 3, 10);
  OfCat(AddWanting("3", 4, 10));
  EXPECT_THAT(Ineligible(), ElementsAre("3: AssocGrpCpuLimit: 0 + 5 + 4 > 8"));
  site_.source.grants.Change(0).used = 99 * kPerMinute;
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(GrantCapTest, ACapOf0LetsTheOnesWaitThatRequestTheTres) {
  AddCap(0).measure.tres = "gres/gpu";
  AddWanting("1", 1, 10);
  AddWanting("2", 1, 10).tres = {{"gres/gpu", 1}};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpGRES: 0 + 0 + 1 > 0"));
}

TEST_F(GrantCapTest, ItHoldsWhereNoLimitIsEnforcedAndNoQosChangesIt) {
  site_.source.policy.enforce.limits = false;
  site_.qos("high").limit_factor = 10;
  AddCap(2);
  AddWanting("1", 3, 10).qos = {"high"};
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCpuLimit: 0 + 0 + 3 > 2"));
}

}  // namespace
}  // namespace priorityd::priority
