// Whose the jobs of a merged user are, by caller.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "priority/v1/admin_service.pb.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// amy and ben are in a; job-ben and job-held are ben's.
class MergedJobsTest : public ::testing::Test {
 protected:
  grpc::StatusCode Merge(const std::string& who) {
    v1::MergeUsersRequest request;
    request.set_from_user("ben");
    request.set_into_user("amy");
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/MergeUsers", request).error_code();
  }
  void Unmerge() {
    v1::UnmergeUsersRequest request;
    request.set_from_user("ben");
    site_.Call<v1::ChangeResponse>("root", "AdminService/UnmergeUsers", request);
  }

  std::set<std::string> JobsSeenBy(const std::string& who) {
    site_.Recalculate();
    const auto answer =
        site_.Call<v1::ListJobsResponse>(who, "PriorityService/ListJobs", v1::ListJobsRequest());
    std::set<std::string> ids;
    for (const v1::TrackedJob& job : answer.jobs()) ids.insert(job.job().job_id());
    return ids;
  }

  // Whether amy may change ben's job.
  bool MayChange(int nice) {
    v1::UpdateJobsRequest request;
    v1::Job* job = request.add_upserts();
    *job = JobOf("job-ben", "ben");
    job->set_nice(nice);
    request.mutable_update_mask()->add_paths("nice");
    const auto answer =
        site_.Call<v1::UpdateJobsResponse>("amy", "PriorityService/UpdateJobs", request);
    return answer.upserts(0).outcome() == v1::UPDATE_OUTCOME_UPSERTED;
  }

  PrivateSite site_{"jobs"};
};

TEST_F(MergedJobsTest, TheSurvivingUserSeesAndChangesThemUntilTheUndo) {
  EXPECT_EQ(JobsSeenBy("amy"), std::set<std::string>({"job-amy"}));
  EXPECT_FALSE(MayChange(1));
  EXPECT_EQ(Merge("root"), grpc::OK);
  EXPECT_EQ(JobsSeenBy("amy"), std::set<std::string>({"job-amy", "job-ben", "job-held"}));
  EXPECT_EQ(JobsSeenBy("ben"), std::set<std::string>({"job-ben", "job-held"}))
      << "who calls as ben is not amy";
  EXPECT_TRUE(MayChange(2));
  Unmerge();
  EXPECT_EQ(JobsSeenBy("amy"), std::set<std::string>({"job-amy"}));
  EXPECT_FALSE(MayChange(3));
}

TEST_F(MergedJobsTest, TheMergedUserSeesTheReservationsThatItsJobsMayUse) {
  site_.SetPrivateData("reservations");
  ASSERT_NE(site_.ReservationsOf("ben"), site_.ReservationsOf("amy"));
  EXPECT_EQ(Merge("root"), grpc::OK);
  site_.Recalculate();
  EXPECT_EQ(site_.ReservationsOf("ben"), site_.ReservationsOf("amy"));
}

// They are the surviving user's.
TEST_F(MergedJobsTest, TheMergedUserSeesNoSharesOfItsJobsIfTheyArePrivate) {
  site_.SetPrivateData("usage");
  const auto explain = [this](const char* who) {
    v1::ExplainPriorityRequest request;
    *request.mutable_jobs()->add_jobs() = JobOf("1", "ben");
    return site_
        .StatusOf<v1::ExplainPriorityResponse>(who, "PriorityService/ExplainPriority", request)
        .error_code();
  };
  EXPECT_EQ(explain("ben"), grpc::OK);
  EXPECT_EQ(explain("amy"), grpc::PERMISSION_DENIED);
  EXPECT_EQ(Merge("root"), grpc::OK);
  site_.Recalculate();
  EXPECT_EQ(explain("ben"), grpc::PERMISSION_DENIED);
  EXPECT_EQ(explain("amy"), grpc::OK);
}

TEST_F(MergedJobsTest, UsersAndCoordinatorsDoNotMerge) {
  for (const char* who : {"amy", "ben", "coo"}) {
    EXPECT_EQ(Merge(who), grpc::PERMISSION_DENIED) << who;
  }
}

}  // namespace
}  // namespace priorityd::rpc
