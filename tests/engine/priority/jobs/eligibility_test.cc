#include "engine/priority/jobs/eligibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(RankingTest, JobsThatDoNotResolveAreIneligible) {
  site_.association("physics").qos = {{"normal"}};
  Add("1").account = "no";
  Add("2").user = "cat";
  Add("3").account = "";
  jobs_[2].user = "zoe";
  Add("4").qos = {"gone"};
  Add("5").qos = {"high"};
  Add("6").partitions = {"nowhere"};
  Add("7").violation = "cpus: got -1, want at least 0";
  Add("6");
  EXPECT_THAT(Ineligible(), ElementsAre("1: InvalidAccount", "2: InvalidAccount",
                                        "3: InvalidAccount", "4: InvalidQOS", "5: InvalidQOS",
                                        "6: InvalidPartition", "7: InvalidJob", "6: InvalidJob"));
  for (const IneligibleRow& row : ranking_.ineligible) EXPECT_FALSE(row.priority.has_value());
}

TEST_F(RankingTest, JobsThatWaitSayForWhat) {
  Add("1").hold = Hold::kUser;
  Add("2").hold = Hold::kAdmin;
  Add("3").admin_priority = 0;
  Add("4").dependency_unmet = true;
  Add("5").eligible_time = kNow + absl::Seconds(1);
  EXPECT_THAT(Ineligible(), ElementsAre("1: JobHeldUser", "2: JobHeldAdmin", "3: JobHeldAdmin",
                                        "4: Dependency", "5: BeginTime"));
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
  EXPECT_THAT(Ineligible(), ElementsAre("1: PartitionNodeLimit", "2: PartitionNodeLimit",
                                        "3: PartitionTimeLimit", "4: PartitionTimeLimit"));
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
  EXPECT_THAT(Ineligible(), ElementsAre("1: PartitionDown", "2: AccountNotAllowed"));
}

TEST_F(RankingTest, AccessListsCoverTheAccountsBelow) {
  site_.partition("main").allow_accounts = {"root"};
  site_.partition("fast").deny_accounts = {"root"};
  Add("1");
  Add("2").partitions = {"fast"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AccountNotAllowed"));
}

TEST_F(RankingTest, AccessListsIgnoreTheCaseOfNames) {
  site_.partition("main").allow_accounts = {"PHYSICS"};
  site_.partition("main").deny_qos = {"Normal"};
  site_.partition("fast").deny_accounts = {"Physics"};
  Add("1").qos = {"high"};
  Add("2").qos = {"normal"};
  Add("3").partitions = {"fast"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: QOSNotAllowed", "3: AccountNotAllowed"));
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
  EXPECT_THAT(Ineligible(),
              ElementsAre("1: QOSNotAllowed", "2: QOSNotAllowed", "3: QOSNotAllowed"));
}

TEST_F(RankingTest, BelowTheUsageThresholdAnEnforcingQosKeepsJobsBack) {
  site_.usage = {{"physics/ann", 100}};
  site_.qos("high").usage_threshold = 0.5;
  Add("1").qos = {"high"};
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.qos("high").enforce_usage_threshold = true;
  EXPECT_THAT(Ineligible(), ElementsAre("1: QOSUsageThreshold"));
  site_.qos("high").usage_threshold = 1.0 / 3;
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(RankingTest, TheFirstReasonThatAppliesIsReported) {
  Job& job = Add("1");
  job.hold = Hold::kUser;
  job.dependency_unmet = true;
  job.nodes = 100;
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).why.reason, Reason::kJobHeldUser);
  jobs_[0].partitions = {"nowhere"};
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).why.reason, Reason::kInvalidPartition);
  jobs_[0].qos = {"gone"};
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).why.reason, Reason::kInvalidQos);
}

TEST_F(RankingTest, OfSeveralPairsTheFurthestGivesTheReason) {
  site_.partition("fast").max_time = absl::Hours(1);
  site_.partition("main").up = false;
  Job& job = Add("1");
  job.partitions = {"nowhere", "main", "fast"};
  job.time_limit = absl::Hours(2);
  RankJobs();
  ASSERT_EQ(ranking_.ineligible.size(), 1u);
  EXPECT_EQ(ranking_.ineligible[0].why.reason, Reason::kPartitionTimeLimit);
  EXPECT_EQ(ranking_.ineligible[0].partition, snapshot_->FindPartition("fast"));
}

}  // namespace
}  // namespace priorityd::priority
