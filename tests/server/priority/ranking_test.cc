#include "server/priority/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/priority/small_site.h"

namespace priorityd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RankingTest : public testing::Test {
 protected:
  Job& Add(absl::string_view job_id) { return jobs_.emplace_back(JobOf(job_id)); }

  void RankJobs() {
    snapshot_ = site_.Build();
    ranking_ = Rank(*snapshot_, jobs_, options_);
  }
  std::vector<std::string> Order() {
    RankJobs();
    return JobIds(ranking_, jobs_);
  }
  std::vector<std::string> Pairs() {
    RankJobs();
    return PairNames(*snapshot_, ranking_, jobs_);
  }
  // `job: reason: message` of the ineligible jobs.
  std::vector<std::string> Ineligible() {
    RankJobs();
    std::vector<std::string> lines;
    for (const IneligibleRow& row : ranking_.ineligible) {
      lines.push_back(absl::StrCat(jobs_[row.job].job_id, ": ", row.reason, ": ", row.message));
    }
    return lines;
  }

  SmallSite site_;
  std::vector<Job> jobs_;
  RankOptions options_ = Now();
  std::unique_ptr<const Snapshot> snapshot_;
  Ranking ranking_;
};

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
  late().has_reservation = true;
  EXPECT_THAT(Order(), ElementsAre("early", "late"));
}

TEST_F(StartOrderTest, ReservationsComeBeforeHigherTiers) {
  site_.partition("main").priority_tier = 9;
  early().has_reservation = true;
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
  early().has_reservation = true;
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
  early().has_reservation = true;
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

TEST_F(RankingTest, PairsThatNothingTellsApartStandAsNamed) {
  Add("1").partitions = {"fast", "main", "fast"};
  EXPECT_THAT(Pairs(), ElementsAre("1@fast", "1@main"));
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

TEST_F(RankingTest, WithoutADefaultPartitionThereIsNone) {
  site_.partition("main").is_default = false;
  Add("1");
  EXPECT_THAT(Pairs(), ElementsAre("1@-"));
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
  EXPECT_THAT(Pairs(), ElementsAre("1@fast", "2@main"));
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

// --- Why a job is not eligible
// --------------------------------------------------------------------

TEST_F(RankingTest, JobsThatDoNotResolveSayWhatIsWrong) {
  site_.association("physics").qos = {{"normal"}};
  Add("1").account = "no";
  Add("2").user = "cat";
  Add("3").account = "";
  jobs_[2].user = "zoe";
  Add("4").qos = {"gone"};
  Add("5").qos = {"high"};
  Add("6").partitions = {"nowhere"};
  Add("7").fault = "cpus: got -1, want at least 0";
  Add("6");
  EXPECT_THAT(Ineligible(),
              ElementsAre("1: InvalidAccount: account no does not exist",
                          "2: InvalidAccount: user cat has no association in account physics",
                          "3: InvalidAccount: the job names no account and user zoe has no "
                          "default account",
                          "4: InvalidQOS: QOS gone does not exist",
                          "5: InvalidQOS: QOS high is not among those of physics/ann: normal",
                          "6: InvalidPartition: partition nowhere does not exist",
                          "7: InvalidJob: cpus: got -1, want at least 0",
                          "6: InvalidJob: job_id 6 is given more than once"));
  for (const IneligibleRow& row : ranking_.ineligible) EXPECT_FALSE(row.priority.has_value());
}

TEST_F(RankingTest, JobsThatWaitSayForWhat) {
  Add("1").hold = Hold::kUser;
  Add("2").hold = Hold::kAdmin;
  Add("3").admin_priority = 0;
  Add("4").dependency_unmet = true;
  Add("5").eligible_time = kNow + absl::Seconds(1);
  EXPECT_THAT(
      Ineligible(),
      ElementsAre("1: JobHeldUser: held by its user", "2: JobHeldAdmin: held by an administrator",
                  "3: JobHeldAdmin: held by an administrator: priority set to 0",
                  "4: Dependency: waits for a job it depends on",
                  "5: BeginTime: may not begin before 2027-01-15T08:00:01+00:00"));
  EXPECT_EQ(ranking_.ineligible[0].priority, 0u);
  EXPECT_EQ(ranking_.ineligible[2].priority, 0u);
  EXPECT_EQ(ranking_.ineligible[3].priority, 1u);
}

TEST_F(RankingTest, AJobMayBeginAtItsBeginTime) {
  Add("1").eligible_time = kNow;
  EXPECT_THAT(Order(), ElementsAre("1"));
}

TEST_F(RankingTest, JobsBeyondThePartitionsLimitsSayByHowMuch) {
  site_.partition("main").max_time = absl::Hours(2);
  site_.partition("fast").max_nodes = 2;
  Add("1").nodes = 9;
  Add("2").partitions = {"fast"};
  jobs_[1].nodes = 3;
  Add("3").time_limit = absl::Hours(48);
  Add("4").time_limit = absl::InfiniteDuration();
  Add("5").time_limit = absl::Hours(2);
  EXPECT_THAT(
      Ineligible(),
      ElementsAre("1: PartitionNodeLimit: 9 nodes exceed the 8 of partition main",
                  "2: PartitionNodeLimit: 3 nodes exceed MaxNodes 2 of partition fast",
                  "3: PartitionTimeLimit: time limit 2-00:00:00 exceeds MaxTime 02:00:00 of "
                  "partition main",
                  "4: PartitionTimeLimit: time limit UNLIMITED exceeds MaxTime 02:00:00 of "
                  "partition main"));
  EXPECT_THAT(JobIds(ranking_, jobs_), ElementsAre("5"));
}

TEST_F(RankingTest, APartitionOfUnknownSizeLimitsNothing) {
  site_.partition("main").nodes = 0;
  Add("1").nodes = 9;
  EXPECT_THAT(Order(), ElementsAre("1"));
}

TEST_F(RankingTest, PartitionsThatAreDownOrClosedSaySo) {
  site_.partition("main").up = false;
  site_.partition("fast").allow_accounts = {"chemistry"};
  Add("1");
  Add("2").partitions = {"fast"};
  EXPECT_THAT(Ineligible(),
              ElementsAre("1: PartitionDown: partition main is not up",
                          "2: AccountNotAllowed: account physics is not in AllowAccounts of "
                          "partition fast"));
}

TEST_F(RankingTest, AccessListsCoverTheAccountsBelow) {
  site_.partition("main").allow_accounts = {"root"};
  site_.partition("fast").deny_accounts = {"root"};
  Add("1");
  Add("2").partitions = {"fast"};
  EXPECT_THAT(Ineligible(),
              ElementsAre("2: AccountNotAllowed: account physics is in DenyAccounts of partition "
                          "fast"));
}

TEST_F(RankingTest, AllowAccountsBeatsDenyAccounts) {
  site_.partition("main").allow_accounts = {"physics"};
  site_.partition("main").deny_accounts = {"physics"};
  Add("1");
  EXPECT_THAT(Order(), ElementsAre("1"));
}

TEST_F(RankingTest, QosListsOfAPartitionHold) {
  site_.partition("main").allow_qos = {"high"};
  site_.partition("fast").deny_qos = {"high"};
  Add("1").qos = {"normal"};
  Add("2");
  Add("3").partitions = {"fast"};
  jobs_[2].qos = {"high"};
  EXPECT_THAT(
      Ineligible(),
      ElementsAre("1: QOSNotAllowed: QOS normal is not in AllowQos of partition main",
                  "2: QOSNotAllowed: a job without QOS is not in AllowQos of partition main",
                  "3: QOSNotAllowed: QOS high is in DenyQos of partition fast"));
}

TEST_F(RankingTest, BelowTheUsageThresholdAnEnforcingQosKeepsJobsBack) {
  site_.usage = {{"physics/ann", 100}};
  site_.qos("high").usage_threshold = 0.5;
  Add("1").qos = {"high"};
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.qos("high").enforce_usage_threshold = true;
  EXPECT_THAT(Ineligible(), ElementsAre("1: QOSUsageThreshold: fair-share 0.333333 of physics/ann "
                                        "is below UsageThreshold 0.5 of QOS high"));
  site_.qos("high").usage_threshold = 1.0 / 3;
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(RankingTest, TheFirstReasonThatAppliesIsTold) {
  Job& job = Add("1");
  job.hold = Hold::kUser;
  job.dependency_unmet = true;
  job.nodes = 100;
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).reason, "JobHeldUser");
  jobs_[0].partitions = {"nowhere"};
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).reason, "InvalidPartition");
  jobs_[0].qos = {"gone"};
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).reason, "InvalidQOS");
}

TEST_F(RankingTest, OfSeveralPairsTheOneThatComesFurthestTellsTheReason) {
  site_.partition("fast").max_time = absl::Hours(1);
  site_.partition("main").up = false;
  Job& job = Add("1");
  job.partitions = {"nowhere", "main", "fast"};
  job.time_limit = absl::Hours(2);
  RankJobs();
  ASSERT_EQ(ranking_.ineligible.size(), 1u);
  EXPECT_EQ(ranking_.ineligible[0].reason, "PartitionTimeLimit");
  EXPECT_EQ(ranking_.ineligible[0].partition, snapshot_->FindPartition("fast"));
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
  const std::vector<absl::string_view> partitions = {"main"};
  options_.partitions = partitions;
  EXPECT_THAT(Pairs(), ElementsAre("1@main", "2@main"));
  EXPECT_EQ(ranking_.ranked[0].rank, 1u);
  EXPECT_TRUE(ranking_.ranked[0].best_of_job);
  const std::vector<absl::string_view> users = {"bob"};
  options_.users = users;
  EXPECT_THAT(Pairs(), ElementsAre("2@main"));
  const std::vector<absl::string_view> accounts = {"chemistry"};
  options_.accounts = accounts;
  EXPECT_THAT(Pairs(), IsEmpty());
}

TEST_F(RankingTest, AnEmptyQueueHasAnEmptyAnswer) {
  EXPECT_THAT(Order(), IsEmpty());
  EXPECT_EQ(ranking_.ranked_total, 0u);
}

// --- Accrue limits
// ----------------------------------------------------------------------------------

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
  const std::vector<absl::string_view> users = {"ann"};
  options_.users = users;
  EXPECT_THAT(Aged(), IsEmpty());
}

}  // namespace
}  // namespace priorityd
