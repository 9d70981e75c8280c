// MaxJobsAccrue and GrpJobsAccrue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AccrueLimitTest : public RankingTest {
 protected:
  AccrueLimitTest() { site_.source.policy.max_age = absl::Hours(100); }

  // The ids of the jobs that have aged, in the order of the request.
  std::vector<std::string> Aged() {
    RankJobs();
    std::vector<std::string> aged;
    for (size_t job = 0; job < jobs_.size(); ++job) {
      for (const RankedRow& row : ranking_.ranked) {
        if (row.job == job && row.best_of_job && row.factors->age > 0) {
          aged.push_back(std::string(jobs_[job].job_id));
        }
      }
    }
    return aged;
  }
};

TEST_F(AccrueLimitTest, TheEarliestJobsOfTheAssociationAccrue) {
  site_.association("physics", "ann").limits.max_jobs_accrue = 2;
  for (const char* id : {"10", "9", "8"}) Add(id);
  jobs_[0].submit_time = kNow - absl::Hours(2);
  Add("7").user = "bob";
  EXPECT_THAT(Aged(), ElementsAre("10", "8", "7"));
}

TEST_F(AccrueLimitTest, AnAccountsMaximumHoldsForEachOfItsUsers) {
  site_.association("physics").limits.max_jobs_accrue = 1;
  Add("1");
  Add("2");
  Add("3").user = "bob";
  EXPECT_THAT(Aged(), ElementsAre("1", "3"));
}

TEST_F(AccrueLimitTest, AGroupLimitHoldsForAllBelow) {
  site_.association("root").limits.grp_jobs_accrue = 2;
  Add("1");
  Add("2").user = "bob";
  Add("3").user = "cat";
  jobs_[2].account = "chemistry";
  EXPECT_THAT(Aged(), ElementsAre("1", "2"));
}

TEST_F(AccrueLimitTest, AQosLimitsAllItsJobsThoseOfAUserAndThoseOfAnAccount) {
  const auto add = [this](const char* id, const char* user) {
    Job& job = Add(id);
    job.user = user;
    job.qos = {"high"};
  };
  add("1", "ann");
  add("2", "ann");
  add("3", "bob");
  Add("4");
  site_.qos("high").grp_jobs_accrue = 1;
  EXPECT_THAT(Aged(), ElementsAre("1", "4"));
  site_.qos("high").grp_jobs_accrue = 2;
  site_.qos("high").max_jobs_accrue_per_user = 1;
  EXPECT_THAT(Aged(), ElementsAre("1", "3", "4"));
  site_.qos("high").max_jobs_accrue_per_account = 1;
  EXPECT_THAT(Aged(), ElementsAre("1", "4"));
  // It is looked at instead of the association's of its kind.
  site_.qos("high").max_jobs_accrue_per_account.reset();
  site_.association("physics", "ann").limits.max_jobs_accrue = 0;
  EXPECT_THAT(Aged(), ElementsAre("1", "3"));
}

TEST_F(AccrueLimitTest, WhereLimitsAreNotEnforcedAllJobsAccrue) {
  site_.association("physics", "ann").limits.max_jobs_accrue = 0;
  site_.source.policy.enforce.limits = false;
  Add("1");
  EXPECT_THAT(Aged(), ElementsAre("1"));
}

TEST_F(AccrueLimitTest, AJobThatIsRefusedTakesNoPlaceElsewhere) {
  site_.association("physics", "ann").limits.max_jobs_accrue = 1;
  site_.association("physics").limits.grp_jobs_accrue = 2;
  Add("1");
  Add("2");
  Add("3").user = "bob";
  EXPECT_THAT(Aged(), ElementsAre("1", "3"));
}

TEST_F(AccrueLimitTest, JobsThatDoNotAccrueTakeNoPlace) {
  site_.association("physics", "ann").limits.max_jobs_accrue = 1;
  Add("1").hold = Hold::kUser;
  Add("2").eligible_time = kNow + absl::Hours(1);
  Add("3").state = JobState::kRunning;
  Add("4").dependency_unmet = true;
  Add("5");
  EXPECT_THAT(Aged(), ElementsAre("5"));
}

TEST_F(AccrueLimitTest, AccrueAlwaysIgnoresTheLimits) {
  site_.association("physics", "ann").limits.max_jobs_accrue = 0;
  Add("1");
  EXPECT_THAT(Aged(), IsEmpty());
  site_.source.policy.accrue_always = true;
  EXPECT_THAT(Aged(), ElementsAre("1"));
}

TEST_F(AccrueLimitTest, AFilterDoesNotChangeWhoAccrues) {
  site_.association("physics").limits.grp_jobs_accrue = 1;
  Add("1").user = "bob";
  Add("2");
  options_.users = {"ann"};
  EXPECT_THAT(Aged(), IsEmpty());
}

}  // namespace
}  // namespace priorityd::priority
