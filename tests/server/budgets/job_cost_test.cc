#include "server/budgets/job_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/priority/small_site.h"

namespace priorityd::budgets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kMinute = 60;

// The job of UMich's guide: 1 CPU, 8 GB and 1 GPU for 10 minutes on a partition with
// TRESBillingWeights="CPU=1.0,Mem=0.25G,GRES/gpu=2.0".
class JobCostTest : public testing::Test {
 protected:
  JobCostTest() {
    site_.partition("main").billing_weights = {{"cpu", 1}, {"mem", 0.25 / 1024}, {"gres/gpu", 2}};
    job_ = priority::JobOf("dan");
    job_.cpus = 1;
    job_.tres = {{"mem", 8192}, {"gres/gpu", 1}};
    job_.time_limit = absl::Minutes(10);
  }

  std::vector<JobCost> Costs() {
    snapshot_ = site_.Build();
    return CostsOf(*snapshot_, job_, RunningUsage(), &why_);
  }

  priority::SmallSite site_;
  priority::Job job_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
  priority::Reason why_ = priority::Reason::kNone;
};

// "Billing TRES=(1*1)+(8*0.25)+(1*2)=5"; "CPU TRES Minutes=10*1=10", "Memory TRES
// Minutes=10*8*1024=81920", "GPU TRES Minutes= 10*1=10".
TEST_F(JobCostTest, IsThatOfTheGuide) {
  const auto costs = Costs();
  ASSERT_EQ(costs.size(), 1u);
  const JobCost& cost = costs.front();
  EXPECT_DOUBLE_EQ(cost.billing, 5);
  EXPECT_DOUBLE_EQ(cost.usage, 50 * kMinute);
  EXPECT_DOUBLE_EQ(cost.tres_seconds.at("cpu"), 10 * kMinute);
  EXPECT_DOUBLE_EQ(cost.tres_seconds.at("mem"), 81920 * kMinute);
  EXPECT_DOUBLE_EQ(cost.tres_seconds.at("gres/gpu"), 10 * kMinute);
  EXPECT_EQ(cost.terms.size(), 3u);
}

// "GrpTRESMins=billing limit of 100. Emily runs a job which uses 50 ... Scott ... 30 ... Dan tries
// to run a job which requires 25": 5 too many.
TEST_F(JobCostTest, ReportsThatDansJobPutsTheAccountOverItsLimit) {
  site_.association("physics").limits.grp_tres_mins = {{"billing", 100}};
  site_.usage = {{"physics/ann", 50 * kMinute}, {"physics/bob", 30 * kMinute}};
  job_.time_limit = absl::Minutes(5);
  const auto costs = Costs();
  ASSERT_EQ(costs.front().budgets.size(), 1u);
  EXPECT_NEAR(costs.front().budgets.front().job, 25 * kMinute, 1e-9);
  EXPECT_NEAR(costs.front().budgets.front().left_after(), -5 * kMinute, 1e-9);
  EXPECT_THAT(
      SentencesOf(*snapshot_, costs.front(), true),
      Contains(HasSubstr("It takes 25 of the 100 billing-minutes of account physics, 25 %: 80 are "
                         "used, running jobs may use 0. That is 5 too many.")));
}

TEST_F(JobCostTest, SentencesHaveEveryDigitOfALimit) {
  site_.association("physics").limits.grp_tres_mins = {{"billing", 1234567}};
  const auto costs = Costs();
  EXPECT_THAT(SentencesOf(*snapshot_, costs.front(), true),
              Contains(HasSubstr("It takes 50 of the 1234567 billing-minutes of account physics, "
                                 "0.00405 %: 0 are used, running jobs may use 0. Then 1234517 are "
                                 "left.")));
}

// UsageFactor counts in what is charged, not in what is held; an array's tasks each cost.
TEST_F(JobCostTest, UsageFactorAndTasksMultiply) {
  site_.qos("high").usage_factor = 2;
  site_.qos("high").grp_tres_mins = {{"cpu", 1000}};
  job_.qos = {"normal", "high"};
  job_.array_tasks = 3;
  const auto costs = Costs();
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_DOUBLE_EQ(costs[0].usage, 3 * 50 * kMinute);
  EXPECT_DOUBLE_EQ(costs[1].usage, 6 * 50 * kMinute);
  EXPECT_DOUBLE_EQ(costs[1].tres_seconds.at("cpu"), 30 * kMinute);
  ASSERT_EQ(costs[1].budgets.size(), 1u);
  EXPECT_DOUBLE_EQ(costs[1].budgets.front().job, 60 * kMinute);
}

// What a recalculation finds once the job is charged.
TEST_F(JobCostTest, FairShareAfterItIsThatOfASnapshotWithItsUsage) {
  site_.usage = {{"physics/ann", 10 * kMinute},
                 {"physics/bob", 30 * kMinute},
                 {"chemistry/cat", 90 * kMinute}};
  const JobCost cost = Costs().front();
  site_.usage["physics/ann"] += cost.usage;
  const auto after = site_.Build();
  EXPECT_DOUBLE_EQ(cost.fair_share_after, after->fair_share().fair_share[cost.association]);
  EXPECT_DOUBLE_EQ(*cost.level_fs_after, after->fair_share().level_fs[cost.association]);
  EXPECT_LT(cost.fair_share_after, cost.fair_share);
}

TEST_F(JobCostTest, WithoutATimeLimitItIsThatOfAnHour) {
  job_.time_limit.reset();
  const JobCost cost = Costs().front();
  EXPECT_EQ(cost.time_limit, absl::InfiniteDuration());
  EXPECT_DOUBLE_EQ(cost.usage, 5 * 3600);
  site_.partition("main").default_time = absl::Minutes(20);
  EXPECT_DOUBLE_EQ(Costs().front().usage, 5 * 1200);
}

TEST_F(JobCostTest, OfAJobThatCanBeChargedToNobodyItSaysWhy) {
  job_.account = "none";
  EXPECT_TRUE(Costs().empty());
  EXPECT_EQ(priority::ReasonName(why_), "InvalidAccount");
}

}  // namespace
}  // namespace priorityd::budgets
