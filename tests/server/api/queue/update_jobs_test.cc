// Jobs of those who were entered a moment ago: the snapshot does not know them yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/job_requests.h"

namespace priorityd::rpc {
namespace {

class UpdateJobsTest : public AdministeredSite {
 protected:
  UpdateJobsTest() {
    Apply("AccountingStorageEnforce=associations,limits,qos\n");
    RecalculateAt(Hour(0));
  }

  static v1::Job JobOf(const std::string& user, const std::string& account,
                       const std::string& qos = "") {
    v1::Job job;
    job.set_job_id(user + account + qos);
    job.set_user(user);
    job.set_account(account);
    if (!qos.empty()) job.add_qos(qos);
    return job;
  }

  v1::JobUpdateResult Submit(const v1::Job& job) {
    return UpdateJobs(service_, Upserts({job})).upserts(0);
  }

  void SetPartition(const std::string& name, const Names& settings) {
    v1::UpdatePartitionsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    AddSettings(settings, &request);
    Changed(request, nullptr);
  }
  void SetQos(const std::string& name, const Names& settings) {
    v1::UpdateQosRequest request;
    request.add_names(name);
    AddSettings(settings, &request);
    Changed(request, nullptr);
  }

  v1::RankJobsResponse Ranked() {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    return RankJobs(service_, request);
  }
};

TEST_F(UpdateJobsTest, AJobOfAnAccountThatWasJustMadeIsTakenAndWaitsForTheRecalculation) {
  EXPECT_EQ(Submit(JobOf("amy", "new")).reason(), "InvalidAccount");
  AddAccount("new", "root");
  EXPECT_EQ(Submit(JobOf("amy", "new")).reason(), "InvalidAccount");
  AddUser("amy", {"new"});
  EXPECT_EQ(Submit(JobOf("amy", "new")).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  const v1::RankJobsResponse before = Ranked();
  ASSERT_EQ(before.ineligible_size(), 1);
  EXPECT_EQ(before.ineligible(0).reason(), "InvalidAccount");
  Recalculate(service_);
  EXPECT_EQ(Ranked().ranked_size(), 1);
}

TEST_F(UpdateJobsTest, AQosThatWasJustGrantedIsTaken) {
  Modify(Where({"a"}, {"amy"}), {"qos=normal"});
  Recalculate(service_);
  EXPECT_EQ(Submit(JobOf("amy", "a", "double")).reason(), "InvalidQOS");
  Modify(Where({"a"}, {"amy"}), {"qos+=double"});
  EXPECT_EQ(Submit(JobOf("amy", "a", "double")).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

TEST_F(UpdateJobsTest, AJobOfAPartitionThatWasJustMadeIsTaken) {
  Apply("EnforcePartLimits=ALL\n");
  Recalculate(service_);
  v1::Job job = JobOf("amy", "a");
  job.add_partitions("fast");
  EXPECT_EQ(Submit(job).reason(), "InvalidPartition");
  SetPartition("fast", {"MaxTime=60"});
  EXPECT_EQ(Submit(job).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Ranked().ineligible(0).reason(), "InvalidPartition");
  Recalculate(service_);
  EXPECT_EQ(Ranked().ranked_size(), 1);
}

TEST_F(UpdateJobsTest, AJobThatFitsThePartitionAsItWasJustChangedIsTaken) {
  Apply("AccountingStorageEnforce=associations\nEnforcePartLimits=ANY\n");
  SetPartition("main", {"MaxTime=60"});
  Recalculate(service_);
  v1::Job job = JobOf("amy", "a");
  job.mutable_time_limit()->set_seconds(2 * 3600);
  EXPECT_EQ(Submit(job).reason(), "PartitionTimeLimit");
  SetPartition("main", {"MaxTime=120"});
  // Beside a job that is refused by what nobody has changed.
  v1::Job of_nobody = JobOf("amy", "nowhere");
  const auto results = UpdateJobs(service_, Upserts({of_nobody, job})).upserts();
  EXPECT_EQ(results[0].reason(), "InvalidAccount");
  EXPECT_EQ(results[1].outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  SetPartition("main", {"State=INACTIVE"});
  Recalculate(service_);
  v1::Job late = JobOf("ben", "a");
  EXPECT_EQ(Submit(late).reason(), "PartitionInactive");
  SetPartition("main", {"State=UP"});
  EXPECT_EQ(Submit(late).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

TEST_F(UpdateJobsTest, AJobOfAQosThatWasJustMadeIsTakenAndOneOfAQosThatWasJustChanged) {
  SetQos("double", {"Flags=DenyOnLimit", "MaxWall=60"});
  Recalculate(service_);
  v1::Job job = JobOf("amy", "a", "double");
  job.mutable_time_limit()->set_seconds(2 * 3600);
  EXPECT_EQ(Submit(job).reason(), "QOSMaxWallDurationPerJobLimit");
  SetQos("double", {"MaxWall=120"});
  EXPECT_EQ(Submit(job).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Submit(JobOf("ben", "a", "new")).reason(), "InvalidQOS");
  v1::CreateQosRequest create;
  create.add_names("new");
  Changed(create, nullptr);
  Modify(Where({"a"}, {"ben"}), {"qos+=new"});
  EXPECT_EQ(Submit(JobOf("ben", "a", "new")).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

TEST_F(UpdateJobsTest, WhoWasNeverEnteredOrIsDeletedIsRefused) {
  EXPECT_EQ(Submit(JobOf("zoe", "a")).reason(), "InvalidAccount");
  Remove(Where({"b"}, {"cat"}));
  Recalculate(service_);
  EXPECT_EQ(Submit(JobOf("cat", "b")).reason(), "InvalidAccount");
}

TEST_F(UpdateJobsTest, AFullSyncIsOfAQueueThatIsThereAlready) {
  v1::UpdateJobsRequest request = Upserts({JobOf("zoe", "a")});
  request.set_source("slurm");
  request.set_full_sync(true);
  EXPECT_EQ(UpdateJobs(service_, request).upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Ranked().ineligible(0).reason(), "InvalidAccount");
}

class ChangedJobsTest : public UpdateJobsTest {
 protected:
  ChangedJobsTest() { Submit(Named("amy", "a")); }

  static v1::Job Named(const std::string& user, const std::string& account) {
    v1::Job job = JobOf(user, account);
    job.set_job_id("1");
    return job;
  }
  // As scontrol update does: the fields alone.
  v1::JobUpdateResult Change(const v1::Job& told, const std::string& field) {
    v1::UpdateJobsRequest request = Upserts({told});
    request.mutable_upserts(0)->clear_user();
    request.clear_source();
    for (const char* path : {"nice", field.c_str()}) {
      request.mutable_update_mask()->add_paths(path);
    }
    return UpdateJobs(service_, request).upserts(0);
  }
  v1::Job Listed() { return ListJobs(service_, {}).jobs(0).job(); }
};

TEST_F(ChangedJobsTest, AnAccountWithoutTheUserIsRefusedByItsFieldAndNothingIsChanged) {
  const v1::Job before = Listed();
  v1::Job told = Named("amy", "b");
  told.set_nice(7);
  const v1::JobUpdateResult refused = Change(told, "account");
  EXPECT_EQ(refused.outcome(), v1::UPDATE_OUTCOME_REFUSED);
  EXPECT_EQ(refused.reason(), "InvalidAccount");
  EXPECT_EQ(refused.field(), "account");
  EXPECT_THAT(
      refused.message(),
      ::testing::StartsWith("Invalid account or account/partition combination specified: "));
  EXPECT_EQ(Listed().SerializeAsString(), before.SerializeAsString());
}

TEST_F(ChangedJobsTest, AnAccountWhereTheUserWasJustEnteredIsTaken) {
  v1::Job told = Named("amy", "b");
  told.set_nice(7);
  AddUser("amy", {"b"});
  EXPECT_EQ(Change(told, "account").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Listed().account(), "b");
  EXPECT_EQ(Listed().nice(), 7);
  EXPECT_EQ(Listed().user(), "amy");
}

TEST_F(ChangedJobsTest, AQosThatTheAssociationMayNotHaveIsRefusedUntilItIsGranted) {
  v1::Job told = Named("amy", "a");
  told.add_qos("new");
  EXPECT_EQ(Change(told, "qos").field(), "qos");
  v1::CreateQosRequest create;
  create.add_names("new");
  Changed(create, nullptr);
  Modify(Where({"a"}, {"amy"}), {"qos+=new"});
  EXPECT_EQ(Change(told, "qos").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

TEST_F(ChangedJobsTest, APartitionThatTakesNoJobsIsRefused) {
  SetPartition("closed", {"State=INACTIVE"});
  Recalculate(service_);
  v1::Job told = Named("amy", "a");
  told.add_partitions("closed");
  EXPECT_EQ(Change(told, "partitions").reason(), "PartitionInactive");
  EXPECT_EQ(Listed().partitions_size(), 0);
}

// Jobs in the queue count as they are now, not as they were at the last recalculation.
class SubmitLimitsTest : public UpdateJobsTest {
 protected:
  SubmitLimitsTest() {
    Modify(Where({"a"}, {"amy"}), {"MaxSubmitJobs=3"});
    RecalculateAt(Hour(1));
  }

  static v1::Job Numbered(int id) {
    v1::Job job = JobOf("amy", "a");
    job.set_job_id(absl::StrCat(id));
    return job;
  }
  static std::vector<std::string> Reasons(const v1::UpdateJobsResponse& response) {
    std::vector<std::string> reasons;
    for (const v1::JobUpdateResult& result : response.upserts()) reasons.push_back(result.reason());
    return reasons;
  }
};

TEST_F(SubmitLimitsTest, JobsOfOneRequestAndOfThoseBeforeItCount) {
  const std::string over = "AssocMaxSubmitJobLimit";
  EXPECT_THAT(Reasons(UpdateJobs(service_, Upserts({Numbered(1), Numbered(2)}))),
              ::testing::ElementsAre("", ""));
  EXPECT_THAT(Reasons(UpdateJobs(service_, Upserts({Numbered(3), Numbered(4), Numbered(1)}))),
              ::testing::ElementsAre("", over, ""));
  EXPECT_THAT(Reasons(UpdateJobs(service_, Upserts({Numbered(5)}))), ::testing::ElementsAre(over));
  v1::UpdateJobsRequest instead = Upserts({Numbered(5), Numbered(6)});
  instead.add_removals("2");
  EXPECT_THAT(Reasons(UpdateJobs(service_, instead)), ::testing::ElementsAre("", over));
}

TEST_F(SubmitLimitsTest, TwoReplicasThatAreAskedAtOnceTakeNoMoreThanOne) {
  TestService other(TestService::Options{.database_url = service_.database_url(), .limits = {}});
  std::atomic<int> taken = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      TestService& asked = caller % 2 == 0 ? service_ : other;
      for (int i = 0; i < 8; ++i) {
        const auto response = UpdateJobs(asked, Upserts({Numbered(100 * caller + i)}));
        taken += response.upserts(0).outcome() == v1::UPDATE_OUTCOME_UPSERTED;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(ListJobs(service_, {}).jobs_size(), 3);
  EXPECT_EQ(ListJobs(other, {}).jobs_size(), 3);
}

}  // namespace
}  // namespace priorityd::rpc
