// Simulate over gRPC: its answers, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr char kWeights[] = "Clock=manual\nPriorityWeightFairshare=1000\nPriorityWeightAge=100\n";

class SimulateTest : public ::testing::Test {
 protected:
  SimulateTest() {
    Import(service_, SmallSite(kWeights));
    v1::RecalculateRequest recalculate;
    *recalculate.mutable_as_of() = ToTimestamp(TestEpoch());
    Recalculate(service_, recalculate);
    v1::UpdateJobsRequest jobs;
    int id = 0;
    for (const char* user : {"amy", "ben", "cat"}) {
      v1::Job* job = jobs.add_upserts();
      job->set_job_id(absl::StrCat(++id));
      job->set_user(user);
      job->add_qos("normal");
      job->set_cpus(1);
      job->mutable_time_limit()->set_seconds(3600);
      *job->mutable_submit_time() = ToTimestamp(TestEpoch());
    }
    UpdateJobs(service_, jobs);
    request_.mutable_tracked();
  }

  v1::SimulateResponse Simulate(grpc::Status* status = nullptr) {
    return AnswerTo<v1::SimulateResponse>(service_, request_, status);
  }

  // Expects INVALID_ARGUMENT that names the field.
  void ExpectFault(const std::string& field) {
    grpc::Status status;
    Simulate(&status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_EQ(DetailsOf(status).Fields(), field) << status.error_message();
  }

  v1::SupposedUsage* AddUsage(const std::string& account, const std::string& user, double usage) {
    v1::SupposedUsage* supposed = request_.add_usage();
    supposed->set_account(account);
    supposed->set_user(user);
    supposed->set_usage(usage);
    return supposed;
  }
  v1::SupposedShares* AddShares(const std::string& account, const std::string& user) {
    v1::SupposedShares* supposed = request_.add_shares();
    supposed->set_account(account);
    supposed->set_user(user);
    supposed->set_raw_shares(1);
    return supposed;
  }

  TestService service_;
  v1::SimulateRequest request_;
};

TEST_F(SimulateTest, WhoUsesMoreMovesBehindTheOthers) {
  AddUsage("a", "amy", 1000);
  request_.set_view(v1::RANK_VIEW_FULL);
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.rows_size(), 3);
  const v1::SimulatedRow& last = response.rows(2);
  EXPECT_EQ(last.job_id(), "1");
  EXPECT_EQ(last.user(), "amy");
  EXPECT_EQ(last.before().rank(), 1u);
  EXPECT_EQ(last.after().rank(), 3u);
  EXPECT_LT(last.after().contributions().fair_share(), last.before().contributions().fair_share());
  EXPECT_EQ(response.moved_down(), 1u);
  EXPECT_EQ(response.moved_up(), 1u);
  EXPECT_EQ(response.unmoved(), 1u);  // ben, in the middle as before.
  EXPECT_EQ(response.snapshot().generation(), 1);
}

TEST_F(SimulateTest, NothingSupposedNothingMoves) {
  const v1::SimulateResponse response = Simulate();
  EXPECT_EQ(response.unmoved(), 3u);
  EXPECT_TRUE(response.policy_changes().empty());
  request_.set_moved_only(true);
  EXPECT_EQ(Simulate().rows_total(), 0u);
}

TEST_F(SimulateTest, SupposedSharesOfAMergedUserAreRefused) {
  v1::MergeUsersRequest merge;
  merge.set_from_user("ben");
  merge.set_into_user("amy");
  v1::ChangeResponse merged;
  ASSERT_TRUE(CallUnary(service_, merge, &merged).ok());
  AddShares("a", "amy");
  AddShares("a", "ben");
  ExpectFault("shares[1].user");
  grpc::Status status;
  Simulate(&status);
  EXPECT_THAT(status.error_message(),
              testing::HasSubstr("got \"ben\", want its surviving user \"amy\", as it is merged"));
  request_.mutable_shares()->RemoveLast();
  EXPECT_EQ(Simulate().rows_total(), 3u);
}

TEST_F(SimulateTest, TheLimitCutsRowsAndLeavesTheNumbers) {
  AddUsage("a", "amy", 1000);
  request_.set_limit(1);
  const v1::SimulateResponse response = Simulate();
  EXPECT_EQ(response.rows_size(), 1);
  EXPECT_EQ(response.rows_total(), 3u);
  EXPECT_EQ(response.moved_up(), 1u);
}

TEST_F(SimulateTest, APolicyIsReportedByTheParametersItChanges) {
  request_.set_policy_text(
      "Clock=manual\nPriorityWeightFairshare=1000\nPriorityWeightAge=200\n"
      "PriorityDecayHalfLife=1-0\nPartitionName=main Nodes=ALL Default=YES PriorityTier=3\n"
      "PartitionName=new Nodes=n1\n");
  std::vector<std::string> changes;
  const v1::SimulateResponse response = Simulate();
  for (const v1::ParameterChange& change : response.policy_changes()) {
    changes.push_back(
        absl::StrCat(change.parameter(), ": ", change.before(), " > ", change.after()));
  }
  EXPECT_NE(
      std::find(changes.begin(), changes.end(), "PriorityDecayHalfLife: 7-00:00:00 > 1-00:00:00"),
      changes.end());
  EXPECT_NE(std::find(changes.begin(), changes.end(), "PriorityWeightAge: 100 > 200"),
            changes.end());
  EXPECT_NE(std::find(changes.begin(), changes.end(), "PartitionName=main PriorityTier: 1 > 3"),
            changes.end());
  EXPECT_NE(std::find(changes.begin(), changes.end(), "PartitionName=new:  > new"), changes.end());
}

TEST_F(SimulateTest, ThePreemptModeOfAPartitionIsInSlurmsWords) {
  request_.set_policy_text(absl::StrCat(
      kWeights, "PartitionName=main Nodes=ALL Default=YES PreemptMode=suspend,gang\n"));
  const v1::SimulateResponse response = Simulate();
  std::vector<std::string> changes;
  for (const v1::ParameterChange& change : response.policy_changes()) {
    changes.push_back(
        absl::StrCat(change.parameter(), ": ", change.before(), " > ", change.after()));
  }
  EXPECT_THAT(changes, testing::Contains("PartitionName=main PreemptMode: OFF > GANG,SUSPEND"));
}

TEST_F(SimulateTest, TresWeightsAreReportedToTheirLastDigitAndSiteFactorsByTheirTimeout) {
  constexpr char kSite[] = "PartitionName=main Nodes=ALL Default=YES\n";
  request_.set_policy_text(absl::StrCat(
      kWeights, kSite,
      "PriorityWeightTRES=cpu=1234567\nPrioritySiteFactorParameters=timeout=2\nPreemptMode=OFF\n"));
  const v1::SimulateResponse response = Simulate();
  std::vector<std::string> changes;
  for (const v1::ParameterChange& change : response.policy_changes()) {
    changes.push_back(
        absl::StrCat(change.parameter(), ": ", change.before(), " > ", change.after()));
  }
  EXPECT_THAT(changes, testing::IsSupersetOf({"PriorityWeightTRES:  > cpu=1234567",
                                              "PrioritySiteFactorParameters:  > timeout=2"}));
  EXPECT_THAT(changes, testing::Not(testing::Contains(testing::HasSubstr("PreemptMode"))));
}

TEST_F(SimulateTest, AJobThatCouldNoLongerStartMovesDownWithItsReason) {
  request_.set_policy_text(
      absl::StrCat(kWeights, "PartitionName=main Nodes=ALL Default=YES MaxTime=30\n"));
  request_.set_moved_only(true);
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.rows_size(), 3);
  EXPECT_EQ(response.moved_down(), 3u);
  EXPECT_EQ(response.rows(0).job_id(), "1");
  EXPECT_EQ(response.rows(0).before().rank(), 1u);
  EXPECT_EQ(response.rows(0).after().rank(), 0u);
  EXPECT_EQ(response.rows(0).after().ineligible_reason(), "PartitionTimeLimit");
}

TEST_F(SimulateTest, BestOnlyHasOneRowForAJobWhicheverPartitionIsBest) {
  request_.clear_tracked();
  request_.set_best_only(true);
  v1::ImportRequest site = SmallSite(kWeights);
  absl::StrAppend(site.mutable_files(0)->mutable_content(),
                  "PartitionName=fast Nodes=n1 PriorityTier=2\n");
  Import(service_, site);
  Recalculate(service_);
  v1::Job* job = request_.mutable_jobs()->add_jobs();
  job->set_job_id("7");
  job->set_user("amy");
  job->add_partitions("main");
  job->add_partitions("fast");
  request_.set_policy_text(
      absl::StrCat(kWeights, "NodeName=n[1-10] CPUs=10\nPartitionName=fast Nodes=n1\n"));
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.rows_size(), 1);
  EXPECT_EQ(response.rows(0).before().rank(), 1u);
  EXPECT_EQ(response.rows(0).after().rank(), 1u);
  EXPECT_EQ(response.rows(0).partition(), "main");
}

TEST_F(SimulateTest, UsageIsChargedToTheDefaultQosToo) {
  v1::ImportRequest site;
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|GrpTRESMins\nnormal|billing=100\n", &site);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='normal,double':DefaultQOS='normal'\n", &site);
  Import(service_, site);
  Recalculate(service_);
  AddUsage("b", "", 101 * 60);
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.rows_size(), 3);
  for (const v1::SimulatedRow& row : response.rows()) {
    EXPECT_GT(row.before().rank(), 0u);
    EXPECT_EQ(row.after().ineligible_reason(), "QOSGrpBillingMinutes");
  }
}

TEST_F(SimulateTest, LaterTheQueueHasAged) {
  *request_.mutable_later() = ToTimestamp(TestEpoch() + absl::Hours(24 * 7));
  const v1::SimulateResponse response = Simulate();
  ASSERT_EQ(response.rows_size(), 3);
  for (const v1::SimulatedRow& row : response.rows()) {
    EXPECT_EQ(row.after().priority(), row.before().priority() + 100);
  }
  EXPECT_EQ(response.later().seconds() - response.as_of().seconds(), 7 * 86400);
}

TEST_F(SimulateTest, WithoutAQueueThereIsNothingToRank) {
  request_.clear_tracked();
  ExpectFault("source");
}

TEST_F(SimulateTest, ABadPolicyIsRefusedWithFileAndLine) {
  request_.set_policy_text("Clock=manual\nPriorityWeightAge=many\n");
  ExpectFault("slurm.conf line 2");
  request_.set_policy_file_name("next.conf");
  ExpectFault("next.conf line 2");
  request_.set_policy_text("Clock=manual\nInclude more.conf\n");
  ExpectFault("next.conf line 2");
}

TEST_F(SimulateTest, APolicyWithoutParametersIsRefusedAndNoPolicyIsTheCurrentOne) {
  for (const char* text : {"", " \n", "# PriorityWeightAge=1\n"}) {
    request_.set_policy_text(text);
    ExpectFault("policy_text");
  }
  request_.clear_policy_text();
  EXPECT_EQ(Simulate().policy_changes_size(), 0);
}

TEST_F(SimulateTest, AssociationsThatAreNotThereAreNamedByTheirField) {
  AddShares("a", "amy");
  AddShares("nowhere", "");
  AddShares("a", "cat");
  AddUsage("b", "cat", 1)->set_partition("main");
  ExpectFault("shares[1].account,shares[2].user,usage[0].partition");
}

TEST_F(SimulateTest, SharesAndUsageOutOfRangeAreRefused) {
  AddShares("a", "amy")->clear_shares();
  AddShares("a", "ben")->set_parent_shares(false);
  AddShares("b", "cat")->set_raw_shares(2147483647u);
  AddShares("b", "cat");
  AddShares("", "cat");
  AddUsage("a", "amy", -1);
  AddUsage("a", "amy", std::numeric_limits<double>::infinity());
  AddUsage("a", "amy", std::numeric_limits<double>::quiet_NaN());
  ExpectFault(
      "shares[0],shares[1],shares[2].raw_shares,shares[3],shares[4].account,usage[0].usage,"
      "usage[1].usage,usage[2].usage");
}

TEST_F(SimulateTest, TheTimeSupposedIsNotBeforeThePresentOrTheLastRecalculation) {
  *request_.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(2));
  *request_.mutable_later() = ToTimestamp(TestEpoch() + absl::Hours(1));
  ExpectFault("later");
  request_.clear_later();
  *request_.mutable_as_of() = ToTimestamp(TestEpoch() - absl::Hours(1));
  grpc::Status status;
  Simulate(&status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "TIME_GOES_BACK");
}

TEST_F(SimulateTest, TooManySuppositionsAreRefused) {
  for (int i = 0; i <= RequestLimits().max_suppositions; ++i) AddUsage("a", "amy", 1);
  ExpectFault("usage");
}

}  // namespace
}  // namespace priorityd::rpc
