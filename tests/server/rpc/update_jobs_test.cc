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
