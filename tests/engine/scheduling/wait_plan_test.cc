// Plans for forecasts on a small site, worked out by hand: with limits, and by other run times.
#include "engine/scheduling/wait_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/scheduling/queue_plan.h"
#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using priority::LimitKind;

absl::Time MinutesFromNow(int minutes) { return priority::kNow + absl::Minutes(minutes); }

// Three nodes of 8 CPUs, each free unless a job runs there.
class WaitPlanTest : public testing::Test {
 protected:
  void Limit(LimitKind kind, double value, const char* tres = "") {
    site_.site.association("physics", "ann").limits.others.push_back({kind, tres, value});
  }
  void LimitQos(LimitKind kind, double value, const char* tres = "") {
    site_.site.qos("normal").other_limits.push_back({kind, tres, value});
  }
  WaitStarts Plan(RestOf rest_of = RestOfLimit, const SupposedJob* supposed = nullptr) {
    return WaitPlanner(*site_.queue, *site_.cluster, supposed).Plan(plan::PlanOptions(), rest_of);
  }
  std::optional<absl::Time> StartOf(const WaitStarts& starts, const std::string& id) {
    const auto found = starts.of_job.find(id);
    if (found == starts.of_job.end()) return std::nullopt;
    return found->second;
  }

  DescribedSite site_;
};

TEST_F(WaitPlanTest, AJobAtALimitStartsWhenAnotherOfItsUserEnds) {
  Limit(LimitKind::kMaxJobs, 1);
  site_.Runs("r", 1, 50, "a");  // For ten more minutes.
  site_.Waits("1", 1);
  site_.Waits("2", 1);
  site_.Build();
  ASSERT_TRUE(site_.ranking.ranked.empty());
  const WaitStarts starts = Plan();
  EXPECT_EQ(StartOf(starts, "1"), MinutesFromNow(10));
  EXPECT_EQ(StartOf(starts, "2"), MinutesFromNow(70)) << "the limit holds in the plan too";
}

TEST_F(WaitPlanTest, AJobWithoutATimeLimitHasThatOfThePartitionWhereItStarts) {
  site_.description.node_types[0].partitions = {"fast"};
  site_.site.partition("main").priority_tier = 2;
  site_.site.partition("main").default_time = absl::Minutes(5);
  site_.site.partition("fast").default_time = absl::Minutes(30);
  for (const char* id : {"1", "2"}) {
    priority::Job& job = site_.Waits(id, 24);
    job.partitions = {"main", "fast"};
    job.nodes = 3;
    job.time_limit.reset();
  }
  site_.Build();
  EXPECT_EQ(StartOf(Plan(), "2"), MinutesFromNow(30));
  const auto half = [](const priority::Job&, absl::Duration limit, absl::Duration) {
    return limit / 2;
  };
  EXPECT_EQ(StartOf(Plan(half), "2"), MinutesFromNow(15));
}

TEST_F(WaitPlanTest, JobsThatMayStartWaitForALimitThatTheFirstOfThemFills) {
  LimitQos(LimitKind::kGrpTres, 12, "cpu");
  site_.Waits("1", 8);
  site_.Waits("2", 8);
  site_.Waits("3", 4);
  site_.Build();
  ASSERT_EQ(site_.ranking.ranked.size(), 3);
  const WaitStarts starts = Plan();
  EXPECT_EQ(StartOf(starts, "1"), MinutesFromNow(0));
  EXPECT_EQ(StartOf(starts, "2"), MinutesFromNow(60));
  EXPECT_EQ(StartOf(starts, "3"), MinutesFromNow(0)) << "four CPUs are left";
}

TEST_F(WaitPlanTest, AnotherUserDoesNotMeetTheLimit) {
  Limit(LimitKind::kMaxJobs, 1);
  site_.Runs("r", 1, 50, "a");
  site_.Waits("1", 1).user = "bob";
  site_.Build();
  EXPECT_EQ(StartOf(Plan(), "1"), MinutesFromNow(0));
}

TEST_F(WaitPlanTest, LimitsOnUsageAndOnOneJobGetNoPlan) {
  Limit(LimitKind::kMaxTres, 4, "cpu");
  site_.Waits("1", 8);
  site_.Build();
  ASSERT_EQ(site_.ranking.ineligible.size(), 1);
  EXPECT_EQ(StartOf(Plan(), "1"), std::nullopt);
}

TEST_F(WaitPlanTest, AJobThatIsLargerThanTheLimitNeverStarts) {
  Limit(LimitKind::kGrpTres, 4, "cpu");
  site_.Waits("1", 8);
  site_.Build();
  EXPECT_EQ(StartOf(Plan(), "1"), std::nullopt);
}

TEST_F(WaitPlanTest, ByExpectedRunTimesAllStartEarlier) {
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 30, node);
  site_.Waits("1", 24).nodes = 3;
  site_.Waits("2", 8);
  site_.Build();
  EXPECT_EQ(StartOf(Plan(), "1"), MinutesFromNow(30));
  EXPECT_EQ(StartOf(Plan(), "2"), MinutesFromNow(90));
  // Each job takes 40 minutes.
  const auto rest = [](const priority::Job&, absl::Duration limit, absl::Duration age) {
    EXPECT_EQ(limit, absl::Hours(1));
    return absl::Minutes(40) - age;
  };
  const WaitStarts starts = Plan(rest);
  EXPECT_EQ(StartOf(starts, "1"), MinutesFromNow(10));
  EXPECT_EQ(StartOf(starts, "2"), MinutesFromNow(50));
}

TEST_F(WaitPlanTest, ASupposedJobWaitsBehindAllOfItsPriority) {
  Limit(LimitKind::kMaxJobs, 2);
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node).user = "bob";
  site_.Waits("1", 8);
  site_.Waits("2", 8);
  site_.Build();
  const priority::Job& like = site_.jobs.back();
  priority::Job supposed = like;
  supposed.job_id = "1";  // Ids may be the same.
  supposed.submit_time = priority::kNow;
  const priority::Ranking ranking =
      priority::Rank(*site_.snapshot, absl::MakeConstSpan(&supposed, 1), {.as_of = priority::kNow});
  const SupposedJob of = {supposed, ranking};
  const WaitStarts starts = Plan(RestOfLimit, &of);
  EXPECT_EQ(StartOf(starts, "1"), MinutesFromNow(10));
  EXPECT_EQ(StartOf(starts, "2"), MinutesFromNow(10));
  EXPECT_EQ(starts.of_supposed, MinutesFromNow(70)) << "a node is free, but two jobs of ann run";
  EXPECT_EQ(Plan().of_supposed, std::nullopt);
}

TEST_F(WaitPlanTest, OfAHugeQueueOnManyNodesLimitsAreLeftOut) {
  Limit(LimitKind::kMaxJobs, 1);
  for (size_t i = 0; i < WaitPlanner::kMostWorkOfLimits / 2; ++i) {
    site_.description.node_types[0].nodes.push_back(absl::StrCat("n", i));
  }
  for (const char* id : {"1", "2"}) site_.Waits(id, 8);
  site_.Build();
  EXPECT_EQ(StartOf(Plan(), "2"), MinutesFromNow(0));
}

TEST_F(WaitPlanTest, WithoutLimitsItIsThePlanOfTheQueue) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    DescribedSite site;
    std::vector<std::string> ids;
    for (int i = 0; i < 30; ++i) ids.push_back(absl::StrCat(i));
    site.site.partition("fast").priority_tier = 1 + random() % 2;
    for (int i = 0; i < 30; ++i) {
      const char* node = i == 0 ? "a" : i == 1 ? "b" : "c";
      priority::Job& job = i < 3 ? site.Runs(ids[i].c_str(), 1 + random() % 8, random() % 50, node)
                                 : site.Waits(ids[i].c_str(), 1 + random() % 8);
      job.time_limit = absl::Minutes(60 + random() % 100);
      if (random() % 3 == 0) job.partitions = {"fast", "main"};
    }
    site.Build();
    const QueuePlan plan(*site.queue, *site.cluster, plan::PlanOptions());
    const WaitStarts starts =
        WaitPlanner(*site.queue, *site.cluster).Plan(plan::PlanOptions(), RestOfLimit);
    ASSERT_GT(plan.size(), 20);
    for (size_t job = 0; job < plan.size(); ++job) {
      const std::string id(site.jobs[plan.row(job).job].job_id);
      EXPECT_EQ(StartOf(starts, id), plan.plan(job).start) << id;
    }
  }
}

}  // namespace
}  // namespace priorityd::scheduling
