// Planned starts of a small site, worked out by hand.
#include "engine/scheduling/queue_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using priority::LimitKind;

class QueuePlanTest : public testing::Test {
 protected:
  // Three nodes of 8 CPUs: `r1` and `r2` leave after 10 and 20 minutes, `c` has none.
  QueuePlanTest() {
    site_.Runs("r1", 8, 50, "a");
    site_.Runs("r2", 8, 40, "b");
  }

  void Plan() {
    site_.Build();
    plan_.emplace(*site_.queue, *site_.cluster, plan::PlanOptions());
  }
  std::string IdOf(const priority::JobRow* row) {
    return row == nullptr ? "" : std::string(site_.jobs[row->job].job_id);
  }
  // The number of a job in the plan.
  size_t Find(const std::string& id) {
    size_t job = 0;
    while (IdOf(&plan_->row(job)) != id) ++job;
    return job;
  }

  DescribedSite site_;
  std::optional<QueuePlan> plan_;
};

TEST_F(QueuePlanTest, AJobStartsOnFreeNodesOrWhenARunningJobEnds) {
  site_.Waits("1", 8);
  site_.Waits("2", 8).nodes = 2;
  site_.jobs.back().cpus = 16;
  Plan();
  ASSERT_EQ(plan_->size(), 2u);
  const size_t first = Find("1"), second = Find("2");
  EXPECT_EQ(plan_->plan(first).start, priority::kNow);
  EXPECT_EQ(plan_->Behind(first), nullptr);
  EXPECT_EQ(plan_->ReasonOf(first, "").reason, "");
  EXPECT_EQ(plan_->ReasonOf(first, "").sentence, "It may start now on c.");
  EXPECT_EQ(plan_->plan(second).start, priority::kNow + absl::Minutes(20));
  EXPECT_EQ(IdOf(plan_->Behind(second)), "r2");
  // kNow is 2027-01-15T08:00:00Z.
  EXPECT_EQ(plan_->ReasonOf(second, "r2").reason, "Resources");
  EXPECT_EQ(plan_->ReasonOf(second, "r2").sentence,
            "It needs 2 nodes of 8 cpu, and not enough are free; it is expected to start at "
            "2027-01-15T08:20:00+00:00, when job r2 ends.");
  EXPECT_EQ(plan_->ReasonOf(second, "").sentence,
            "It needs 2 nodes of 8 cpu, and not enough are free; it is expected to start at "
            "2027-01-15T08:20:00+00:00.");
}

TEST_F(QueuePlanTest, AJobThatWouldDelayTheOneBeforeItWaits) {
  priority::Job& large = site_.Waits("1", 24);
  large.nodes = 3;
  site_.Waits("2", 8);  // For an hour: longer than until 08:20.
  Plan();
  const size_t second = Find("2");
  EXPECT_EQ(IdOf(plan_->Behind(second)), "1");
  EXPECT_EQ(plan_->ReasonOf(second, "1").reason, "Priority");
  EXPECT_EQ(plan_->ReasonOf(second, "").sentence.substr(0, 60),
            "It needs 1 node of 8 cpu, which are free, and another job be");
}

TEST_F(QueuePlanTest, JobsOfAMergedUserCountAgainstTheCapOfTheSurvivingOne) {
  site_.Waits("1", 24).nodes = 3;
  site_.Waits("2", 8).user = "bob";
  const auto wait_of_second = [this] {
    plan_.reset();
    site_.Build();
    plan_.emplace(*site_.queue, *site_.cluster, plan::PlanOptions{.max_job_user = 1});
    return plan_->plan(Find("2")).wait;
  };
  EXPECT_EQ(wait_of_second(), plan::Wait::kPriority);
  site_.site.merges = {{"bob", "ann"}};
  EXPECT_EQ(wait_of_second(), plan::Wait::kNotLookedAt);
}

class PlanLimitTest : public QueuePlanTest {
 protected:
  void Limit(LimitKind kind, double value, const char* tres = "") {
    site_.site.association("physics", "ann").limits.others.push_back({kind, tres, value});
  }
  // Of all jobs in order: `now`, the reason, or the minutes until the planned start.
  std::string Starts() {
    Plan();
    std::string text;
    for (size_t job = 0; job < plan_->size(); ++job) {
      const plan::JobPlan& plan = plan_->plan(job);
      const std::string reason = plan_->ReasonOf(job, "").reason;
      absl::StrAppend(&text, IdOf(&plan_->row(job)), ":",
                      plan.wait == plan::Wait::kNone ? "now" : reason,
                      plan.start > priority::kNow ? " later" : "", " ");
    }
    return text;
  }
};

TEST_F(PlanLimitTest, JobsThatStartCountForThoseBehindThem) {
  Limit(LimitKind::kMaxJobs, 4);  // Two run.
  for (const char* id : {"1", "2", "3"}) site_.Waits(id, 1);
  site_.Waits("4", 1).user = "bob";
  EXPECT_EQ(Starts(), "1:now 2:now 3:AssocMaxJobsLimit 4:now ");
  EXPECT_EQ(plan_->ReasonOf(Find("3"), "").sentence,
            "Jobs that start before it count against a limit: user ann in account physics may run "
            "4 jobs (MaxJobs=4): 4 run.");
}

TEST_F(PlanLimitTest, AJobAtALimitHoldsNoNodesForItself) {
  Limit(LimitKind::kGrpTres, 24, "cpu");  // 16 run.
  site_.Waits("1", 4);
  site_.Waits("2", 8);
  site_.Waits("3", 8).user = "bob";
  // Job 2 is the first that waits, and would reserve a node.
  EXPECT_EQ(Starts(), "1:now 2:AssocGrpCpuLimit 3:Resources later ");
}

TEST_F(PlanLimitTest, WhatAStartReservesOfALimitOnUsageIsNotGivenTwice) {
  site_.site.source.policy.enforce.safe = true;
  // Nothing is recorded of the running jobs, which have 8 CPUs for an hour each. Two more hours
  // fit.
  Limit(LimitKind::kGrpTresMins, 2 * 480 + 2 * 60, "cpu");
  for (const char* id : {"1", "2", "3"}) site_.Waits(id, 1);
  EXPECT_EQ(Starts(), "1:now 2:now 3:AssocGrpCPUMinutesLimit ");
}

TEST_F(PlanLimitTest, AJobWithoutATimeLimitCountsUnderLimitsOnOtherTres) {
  site_.description.node_types[0].tres["mem"] = 16000;
  Limit(LimitKind::kGrpTresRunMins, 100'000, "mem");
  site_.Waits("1", 1).time_limit.reset();
  site_.Waits("2", 1).tres = {{"mem", 1000}};
  site_.Waits("3", 1).tres = {{"mem", 1000}};
  EXPECT_EQ(Starts(), "1:now 2:now 3:AssocGrpMemRunMinutes ");
}

TEST_F(PlanLimitTest, AJobStartsInThePartitionWhoseQosHasRoom) {
  site_.site.partition("main").qos = "high";
  site_.site.qos("high").other_limits.push_back({LimitKind::kGrpJobs, "", 3});  // Two run.
  site_.Waits("1", 1);
  site_.Waits("2", 1).partitions = {"main", "fast"};
  site_.Waits("3", 1);
  EXPECT_EQ(Starts(), "1:now 2:now 3:QOSGrpJobsLimit ");
  EXPECT_EQ(plan_->row(Find("2")).partition, site_.snapshot->FindPartition("fast"));
}

TEST_F(QueuePlanTest, AQosWithNoReserveGetsNoStartUnlessNow) {
  site_.site.qos("normal").no_reserve = true;
  site_.Waits("1", 8);
  site_.Waits("2", 24).nodes = 3;
  Plan();
  EXPECT_TRUE(plan_->plan(Find("1")).start.has_value());
  EXPECT_FALSE(plan_->plan(Find("2")).start.has_value());
  EXPECT_EQ(plan_->ReasonOf(Find("2"), "").sentence,
            "It needs 3 nodes of 8 cpu, and not enough are free; its QOS reserves no nodes for it, "
            "so no start is planned.");
}

TEST_F(QueuePlanTest, AJobBelowTheMinPrioThreshOfItsQosReservesNothing) {
  site_.site.qos("normal").min_prio_thresh = 1000;
  site_.Waits("1", 24).nodes = 3;
  Plan();
  EXPECT_FALSE(plan_->plan(0).start.has_value());
}

TEST_F(QueuePlanTest, AJobWithSeveralPartitionsIsPlannedOnceInTheOneWhereItStarts) {
  site_.description.node_types[0].partitions = {"fast"};
  site_.Waits("1", 8).partitions = {"main", "fast"};
  Plan();
  ASSERT_EQ(plan_->size(), 1u);
  EXPECT_EQ(plan_->plan(0).wait, plan::Wait::kNone);
  EXPECT_EQ(plan_->row(0).partition, site_.snapshot->FindPartition("fast"));
  EXPECT_EQ(plan_->first_row(0).rank, 1u);
}

TEST_F(QueuePlanTest, AJobWithoutATimeLimitHasThatOfThePartitionWhereItStarts) {
  site_.description.node_types[0].partitions = {"fast"};
  site_.site.partition("main").priority_tier = 2;
  site_.site.partition("main").default_time = absl::Minutes(5);
  site_.site.partition("fast").default_time = absl::Minutes(30);
  priority::Job& open_ended = site_.Waits("1", 8);
  open_ended.partitions = {"main", "fast"};
  open_ended.time_limit.reset();
  priority::Job& large = site_.Waits("2", 24);
  large.partitions = {"fast"};
  large.nodes = 3;
  Plan();
  EXPECT_EQ(plan_->first_row(Find("1")).partition, site_.snapshot->FindPartition("main"));
  EXPECT_EQ(plan_->plan(Find("1")).wait, plan::Wait::kNone);
  // The nodes are free after 10, 20 and, where job 1 runs, 30 minutes.
  EXPECT_EQ(plan_->plan(Find("2")).start, priority::kNow + absl::Minutes(30));
}

TEST_F(QueuePlanTest, AJobThatNamesNoMemoryHasThatOfThePartitionWhereItStarts) {
  site_.description.node_types[0].partitions = {"fast"};
  site_.description.node_types[0].tres = {{"cpu", 8}, {"mem", 1000}};
  site_.site.partition("main").priority_tier = 2;
  site_.site.source.policy.partition_rules["fast"].memory =
      priority::DefaultMemory{.per_node = 600};
  for (const char* id : {"1", "2"}) site_.Waits(id, 1).partitions = {"main", "fast"};
  Plan();
  EXPECT_EQ(plan_->plan(Find("1")).wait, plan::Wait::kNone);
  // Two of 600 MB do not fit on the node that is free.
  EXPECT_EQ(plan_->plan(Find("2")).start, priority::kNow + absl::Minutes(10));
  EXPECT_EQ(plan_->ReasonOf(Find("2"), "r1").sentence,
            "It needs 1 node of 1 cpu, 600 mem, and not enough are free; it is expected to start "
            "at 2027-01-15T08:10:00+00:00, when job r1 ends.");
}

TEST_F(QueuePlanTest, LicensesAndImpossibleDemandsHaveTheirReasons) {
  site_.description.licenses = {{"license/matlab", 1}};
  site_.Runs("r3", 1, 10, "c").tres = {{"license/matlab", 1}};
  site_.Waits("1", 1).tres = {{"license/matlab", 1}};
  site_.Waits("2", 9);
  Plan();
  EXPECT_EQ(plan_->ReasonOf(Find("1"), "").reason, "Licenses");
  EXPECT_EQ(plan_->ReasonOf(Find("2"), "").reason, "BadConstraints");
  EXPECT_EQ(plan_->ReasonOf(Find("2"), "").sentence,
            "It needs 1 node of 9 cpu, which its partitions do not have, also when idle.");
}

TEST_F(QueuePlanTest, ACapThatIsTooSmallForAJobIsNamed) {
  site_.description.partition_caps = {{"main", 2}};
  site_.Waits("1", 3).nodes = 3;
  Plan();
  EXPECT_EQ(plan_->ReasonOf(Find("1"), "").reason, "BadConstraints");
  EXPECT_EQ(plan_->ReasonOf(Find("1"), "").sentence,
            "It never fits: partition main may hold 2 nodes.");
}

TEST_F(QueuePlanTest, OfSeveralLicensesTheOneThatIsUsedUpIsNamed) {
  site_.description.licenses = {{"license/ansys", 5}, {"license/matlab", 1}};
  site_.Runs("r3", 1, 10, "c").tres = {{"license/matlab", 1}};
  site_.Waits("1", 1).tres = {{"license/matlab", 1}};
  Plan();
  EXPECT_EQ(plan_->ReasonOf(Find("1"), "").reason, "Licenses");
  EXPECT_THAT(plan_->ReasonOf(Find("1"), "").sentence, testing::HasSubstr("license/matlab"));
}

TEST_F(QueuePlanTest, LicensesOfVeryManyHugeRunningJobsAreUsedUp) {
  // 64 bits hold 9,223 times 1e15 thousandths. The second license is as large as the jobs.
  for (const double licenses : {1.0, 1e12}) {
    plan_.reset();
    site_.description.licenses = {{"license/matlab", licenses}};
    site_.jobs.clear();
    site_.placements.clear();
    std::vector<std::string> ids;
    for (int i = 0; i < 10'000; ++i) ids.push_back(absl::StrCat("r", i));
    for (const std::string& id : ids) {
      site_.Runs(id.c_str(), 0.0001, 10, "a").tres = {{"license/matlab", 1e12}};
    }
    site_.Waits("1", 1).tres = {{"license/matlab", 1}};
    Plan();
    EXPECT_EQ(plan_->ReasonOf(Find("1"), "").reason, "Licenses") << licenses;
    EXPECT_NE(plan_->plan(Find("1")).start, priority::kNow) << licenses;
  }
}

TEST_F(QueuePlanTest, NodesOfVeryManyHugeRunningJobsAreFull) {
  site_.description.node_types[0].tres = {{"cpu", 100}, {"gres/scratch", 1e12}};
  std::vector<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back(absl::StrCat("r", 10 + i));
  for (const std::string& id : ids) {
    site_.Runs(id.c_str(), 0.0001, 10, "c").tres = {{"gres/scratch", 1e12}};
  }
  for (const char* id : {"r1", "r2"}) {
    absl::c_find_if(site_.jobs, [&](const priority::Job& job) {
      return job.job_id == id;
    })->tres = {{"gres/scratch", 1e12}};
  }
  site_.Waits("1", 1).tres = {{"gres/scratch", 1}};
  Plan();
  EXPECT_EQ(plan_->plan(Find("1")).start, priority::kNow + absl::Minutes(10)) << "when r1 ends";
}

TEST_F(QueuePlanTest, RunningJobsWithoutRoomAreCounted) {
  site_.Runs("r3", 8, 10, "c");
  site_.Runs("r4", 8, 10, "c");
  site_.placements.pop_back();
  Plan();
  EXPECT_EQ(plan_->CountRunningWithoutNodes(), 1u);
}

}  // namespace
}  // namespace priorityd::scheduling
