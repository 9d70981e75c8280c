// Jobs of those who were entered a moment ago: the snapshot does not know them yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/rpc/administered_site.h"
#include "tests/server/rpc/job_requests.h"

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
    Changed(&v1::AdminService::Stub::UpdatePartitions, request, nullptr);
  }
  void SetQos(const std::string& name, const Names& settings) {
    v1::UpdateQosRequest request;
    request.add_names(name);
    AddSettings(settings, &request);
    Changed(&v1::AdminService::Stub::UpdateQos, request, nullptr);
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
  Changed(&v1::AdminService::Stub::CreateQos, create, nullptr);
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

}  // namespace
}  // namespace priorityd::rpc
