#include "engine/priority/ranking/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// --- The start order, one rule after another ------------------------------------------

class StartOrderTest : public RankingTest {
 protected:
  // Two jobs; by everything below the rule tested `late` comes first.
  StartOrderTest() {
    jobs_.reserve(2);
    Add("early").site_factor = 10;
    Add("late").site_factor = 20;
  }
  Job& early() { return jobs_[0]; }
  Job& late() { return jobs_[1]; }
};

TEST_F(StartOrderTest, JobsThatCanPreemptComeBeforeReservations) {
  early().preemptor = true;
  late().reservation = "r";
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, ReservationsComeBeforeHigherTiers) {
  site_.partition("main").priority_tier = 9;
  early().reservation = "r";
  early().partitions = {"fast"};
  late().partitions = {"main"};
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, HigherTiersComeBeforeHigherPriorities) {
  site_.partition("fast").priority_tier = 4294967295u;
  site_.partition("main").priority_tier = 65536;
  early().partitions = {"fast"};
  late().partitions = {"main"};
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, HigherPrioritiesComeBeforeEarlierSubmissions) {
  early().submit_time = kNow - absl::Hours(9);
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
}

TEST_F(StartOrderTest, EarlierSubmissionsComeBeforeLowerIds) {
  early().site_factor = late().site_factor;
  late().submit_time = *early().submit_time - absl::Microseconds(1);
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
}

TEST_F(StartOrderTest, LowerIdsComeFirstAtLast) {
  early().site_factor = late().site_factor;
  early().job_id = "10";
  late().job_id = "9";
  EXPECT_THAT(Order(), ElementsAre("9", "10"));
}

TEST_F(StartOrderTest, AJobWithoutSubmitTimeCountsAsSubmittedNow) {
  early().site_factor = late().site_factor;
  early().submit_time.reset();
  late().submit_time = kNow - absl::Microseconds(1);
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
}

TEST_F(StartOrderTest, UnderBasicOnlyPriorityIsLeftOut) {
  site_.source.policy.priority_type = PriorityType::kBasic;
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
  late().submit_time = kNow - absl::Hours(9);
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
  early().reservation = "r";
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
  late().preemptor = true;
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
}

// --- What can preempt -------------------------------------------------------------------

TEST_F(StartOrderTest, AQosWithAPreemptListCanWhenPreemptTypeSaysQos) {
  site_.qos("high").preempt = {"normal"};
  early().qos = {"high"};
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
  site_.source.policy.preempt_by_qos = true;
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, APartitionAboveAPreemptibleOneCanWhenPreemptTypeSaysPartition) {
  site_.partition("main").preemptible = true;
  site_.partition("fast").priority_tier = 2;
  early().partitions = {"main"};
  early().reservation = "r";
  late().partitions = {"fast"};
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
  site_.source.policy.preempt_by_partition = true;
  EXPECT_THAT(Order(), ElementsAre("late", "early"));
  site_.partition("fast").priority_tier = 1;
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, WhatAJobSaysItselfBeatsItsQos) {
  site_.source.policy.preempt_by_qos = true;
  site_.qos("high").preempt = {"normal"};
  late().qos = {"high"};
  late().preemptor = false;
  early().preemptor = true;
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

// --- Pairs ----------------------------------------------------------------------------------

TEST_F(RankingTest, AJobHasOneRowPerPartitionAndQos) {
  site_.source.policy.weight_qos = 100;
  site_.partition("fast").priority_tier = 2;
  Job& job = Add("1");
  job.partitions = {"main", "fast"};
  job.qos = {"normal", "high"};
  EXPECT_THAT(Pairs(), ElementsAre("1@fast/high", "1@fast/normal", "1@main/high", "1@main/normal"));
  EXPECT_TRUE(ranking_.ranked[0].best_of_job);
  EXPECT_FALSE(ranking_.ranked[1].best_of_job);
  EXPECT_EQ(ranking_.ranked[3].rank, 4u);
}

TEST_F(RankingTest, PairsThatNothingDistinguishesKeepTheNamedOrder) {
  Add("1").partitions = {"fast", "main", "fast"};
  EXPECT_THAT(Pairs(), ElementsAre("1@fast/normal", "1@main/normal"));
}

TEST_F(RankingTest, ABadPairIsDroppedAndTheJobStaysEligible) {
  Job& job = Add("1");
  job.partitions = {"nowhere", "fast", "main"};
  job.qos = {"nothing", "normal"};
  job.nodes = 5;
  EXPECT_THAT(Pairs(), ElementsAre("1@main/normal"));
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(RankingTest, AJobThatNamesNothingTakesTheDefaults) {
  site_.association("physics").default_qos = "high";
  Add("1").account = "";
  EXPECT_THAT(Pairs(), ElementsAre("1@main/high"));
  EXPECT_EQ(snapshot_->tree().account(ranking_.ranked[0].association), "physics");
}

TEST_F(RankingTest, AListThatLacksTheDefaultQosLeavesAJobThatNamesNoneWithout) {
  Add("1");
  EXPECT_THAT(Pairs(), ElementsAre("1@main/normal"));
  site_.association("physics").qos = {{"high", "low"}};
  EXPECT_THAT(Pairs(), IsEmpty());
  EXPECT_EQ(ReasonName(ranking_.ineligible[0].why.reason), "InvalidQOS");
  site_.association("physics").qos = {{"high"}};
  EXPECT_THAT(Pairs(), ElementsAre("1@main/high"));
}

TEST_F(RankingTest, WithoutADefaultPartitionThereIsNone) {
  site_.partition("main").is_default = false;
  Add("1");
  EXPECT_THAT(Pairs(), ElementsAre("1@-/normal"));
}

TEST_F(RankingTest, TheFirstPartitionNamedPicksThePartitionsOwnAssociation) {
  Association own = site_.association("physics", "ann");
  own.id = 9;
  own.partition = "fast";
  site_.associations.push_back(own);
  Add("first").partitions = {"fast", "main"};
  Add("second").partitions = {"main", "fast"};
  RankJobs();
  for (const RankedRow& row : ranking_.ranked) {
    EXPECT_EQ(snapshot_->tree().partition(row.association),
              jobs_[row.job].job_id == "first" ? "fast" : "");
  }
}

TEST_F(RankingTest, BestOnlyKeepsTheFirstRowOfEachJob) {
  site_.partition("fast").priority_tier = 2;
  Add("1").partitions = {"main", "fast"};
  Add("2").partitions = {"main"};
  options_.best_only = true;
  EXPECT_THAT(Pairs(), ElementsAre("1@fast/normal", "2@main/normal"));
  EXPECT_EQ(ranking_.ranked_total, 2u);
}

// --- Running jobs ------------------------------------------------------------------------------

TEST_F(RankingTest, RunningAndSuspendedJobsAreAnsweredApartWithoutPriority) {
  Add("1").state = JobState::kRunning;
  Add("2").state = JobState::kSuspended;
  Add("3");
  EXPECT_THAT(Order(), ElementsAre("3"));
  ASSERT_EQ(ranking_.running.size(), 2u);
  EXPECT_EQ(ranking_.running[0].job, 0u);
  EXPECT_FALSE(ranking_.running[0].priority.has_value());
  EXPECT_EQ(ranking_.running[0].factors, nullptr);
  EXPECT_EQ(ranking_.running[0].partition, snapshot_->FindPartition("main"));
}

TEST_F(RankingTest, CalculateRunningGivesThemPriorities) {
  site_.source.policy.calculate_running = true;
  Job& job = Add("1");
  job.state = JobState::kRunning;
  job.site_factor = 40;
  RankJobs();
  EXPECT_EQ(ranking_.running.at(0).priority, 40u);
  EXPECT_EQ(ranking_.running.at(0).factors->site, 40);
}

TEST_F(RankingTest, ARunningJobThatCannotBeResolvedIsStillRunning) {
  Job& job = Add("1");
  job.state = JobState::kRunning;
  job.account = "gone";
  EXPECT_THAT(Ineligible(), IsEmpty());
  EXPECT_EQ(ranking_.running.at(0).association, kNoAssociation);
}

// --- Limits and filters
// ---------------------------------------------------------------------------

TEST_F(RankingTest, LimitsCutTheAnswerNotTheTotals) {
  for (const char* id : {"1", "2", "3"}) Add(id);
  for (const char* id : {"4", "5"}) Add(id).hold = Hold::kUser;
  options_.limit = 2;
  options_.ineligible_limit = 1;
  EXPECT_THAT(Order(), ElementsAre("1", "2"));
  EXPECT_EQ(ranking_.ranked_total, 3u);
  EXPECT_EQ(ranking_.ineligible.size(), 1u);
  EXPECT_EQ(ranking_.ineligible_total, 2u);
}

TEST_F(RankingTest, FiltersKeepRanksAndTheBestRowAmongThemselves) {
  site_.partition("fast").priority_tier = 2;
  Add("1").partitions = {"main", "fast"};
  Add("2").user = "bob";
  options_.partitions = {"main"};
  EXPECT_THAT(Pairs(), ElementsAre("1@main/normal", "2@main/normal"));
  EXPECT_EQ(ranking_.ranked[0].rank, 1u);
  EXPECT_TRUE(ranking_.ranked[0].best_of_job);
  options_.users = {"bob"};
  EXPECT_THAT(Pairs(), ElementsAre("2@main/normal"));
  options_.accounts = {"chemistry"};
  EXPECT_THAT(Pairs(), IsEmpty());
}

TEST_F(RankingTest, AJobOfAMergedUserPassesByEitherName) {
  site_.merges = {{"bob", "ann"}};
  Add("1");
  Add("2").user = "bob";
  Add("3").hold = Hold::kUser;
  Add("4").hold = Hold::kUser;
  jobs_.back().user = "bob";
  options_.users = {"ann"};
  EXPECT_THAT(Order(), ElementsAre("1", "2"));
  EXPECT_THAT(Ineligible(), ElementsAre("3: JobHeldUser", "4: JobHeldUser"));
  options_.users = {"bob"};
  EXPECT_THAT(Order(), ElementsAre("2"));
  EXPECT_THAT(Ineligible(), ElementsAre("4: JobHeldUser"));
  options_.accounts = {"chemistry"};
  EXPECT_THAT(Order(), IsEmpty());
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(RankingTest, AnEmptyQueueHasAnEmptyAnswer) {
  EXPECT_THAT(Order(), IsEmpty());
  EXPECT_EQ(ranking_.ranked_total, 0u);
}

}  // namespace
}  // namespace priorityd::priority
