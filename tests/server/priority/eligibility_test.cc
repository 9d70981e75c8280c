#include "server/priority/eligibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

}  // namespace
}  // namespace priorityd::priority
