// Whose jobs who may change, over gRPC: coordinators, and those who speak for users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class UpdateRightsTest : public ::testing::Test {
 protected:
  v1::UpdateJobsResponse Update(const std::string& who, const v1::UpdateJobsRequest& request,
                                grpc::Status* status = nullptr) {
    return site_.Call<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs", request, status);
  }

  // What becomes of one job, as AccessDenied/FIELD or the outcome.
  std::string Upsert(const std::string& who, const v1::Job& job,
                     const std::string& on_behalf_of = "") {
    v1::UpdateJobsRequest request = Upserts({job});
    request.set_on_behalf_of(on_behalf_of);
    const v1::JobUpdateResult result = Update(who, request).upserts(0);
    if (result.reason() == "AccessDenied") return "AccessDenied/" + result.field();
    return v1::UpdateOutcome_Name(result.outcome());
  }

  std::string Remove(const std::string& who, const std::string& job_id,
                     const std::string& on_behalf_of = "") {
    v1::UpdateJobsRequest request = Removal(job_id);
    request.set_on_behalf_of(on_behalf_of);
    return v1::UpdateOutcome_Name(Update(who, request).removals(0).outcome());
  }

  // The job as ListJobs returns it, which is what prioctl and users send back changed.
  v1::Job Listed(const std::string& who, const std::string& job_id) {
    v1::ListJobsRequest request;
    request.add_job_ids(job_id);
    const auto list = site_.Call<v1::ListJobsResponse>(who, "PriorityService/ListJobs", request);
    EXPECT_EQ(list.jobs_size(), 1) << job_id;
    return list.jobs_size() == 1 ? list.jobs(0).job() : v1::Job();
  }

  PrivateSite site_{"all"};
};

constexpr char kUpserted[] = "UPDATE_OUTCOME_UPSERTED";
constexpr char kRemoved[] = "UPDATE_OUTCOME_REMOVED";
constexpr char kUnchanged[] = "UPDATE_OUTCOME_UNCHANGED";

TEST_F(UpdateRightsTest, ACoordinatorHoldsReleasesAndRemovesTheJobsOfTheirAccount) {
  v1::Job held = Listed("coo", "job-held");
  held.clear_hold();
  EXPECT_EQ(Upsert("coo", held), kUpserted);
  v1::Job job = Listed("coo", "job-ben");
  job.set_hold(v1::HOLD_USER);
  job.set_nice(7);
  EXPECT_EQ(Upsert("coo", job), kUpserted);
  EXPECT_EQ(Listed("ope", "job-ben").hold(), v1::HOLD_USER);
  EXPECT_EQ(Listed("ope", "job-ben").nice(), 7);
  job.set_nice(-7);
  EXPECT_EQ(Upsert("coo", job), "AccessDenied/nice");
  job.set_nice(7);
  job.add_qos("double");
  EXPECT_EQ(Upsert("coo", job), "AccessDenied/qos");
  EXPECT_EQ(Remove("coo", "job-ben"), kRemoved);
  // Of another account, which coo does not even see.
  EXPECT_EQ(Remove("coo", "job-cat"), kUnchanged);
  EXPECT_EQ(Upsert("coo", JobOf("job-cat", "cat")), "AccessDenied/user");
  EXPECT_EQ(Upsert("coo", JobOf("new", "ben")), "AccessDenied/user");
}

TEST_F(UpdateRightsTest, WhatAnAdministratorHoldsACoordinatorDoesNotRelease) {
  v1::Job job = Listed("ope", "job-ben");
  job.set_hold(v1::HOLD_ADMIN);
  EXPECT_EQ(Upsert("ope", job), kUpserted);
  job.set_hold(v1::HOLD_UNSPECIFIED);
  EXPECT_EQ(Upsert("coo", job), "AccessDenied/hold");
  EXPECT_EQ(Upsert("ope", job), kUpserted);
}

TEST_F(UpdateRightsTest, ACallerOnBehalfOfAUserHasThatUsersRightsOnly) {
  for (const char* who : {"frontend", "ope", "adm", "root"}) {
    SCOPED_TRACE(who);
    v1::Job job = JobOf(std::string("of-") + who, "amy");
    EXPECT_EQ(Upsert(who, job, "amy"), kUpserted);
    EXPECT_EQ(Upsert(who, JobOf("x", "ben"), "amy"), "AccessDenied/user");
    job.set_nice(-1);
    EXPECT_EQ(Upsert(who, job, "amy"), "AccessDenied/nice");
    EXPECT_EQ(Upsert(who, job), kUpserted);
    EXPECT_EQ(Remove(who, "job-cat", "amy"), kUnchanged);
    EXPECT_EQ(Remove(who, job.job_id(), "amy"), kRemoved);
    // Rights by the association data remain also then.
    job.set_job_id(std::string("by-ope-") + who);
    EXPECT_EQ(Upsert(who, job, "ope"), kUpserted);
    v1::Job bens = Listed("ope", "job-ben");
    bens.set_nice(bens.nice() + 1);
    EXPECT_EQ(Upsert(who, bens, "coo"), kUpserted);
  }
  v1::UpdateJobsRequest sync;
  sync.set_full_sync(true);
  sync.set_on_behalf_of("amy");
  grpc::Status status;
  Update("frontend", sync, &status);
  EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("on behalf of amy"));
}

TEST_F(UpdateRightsTest, AUserActsOnBehalfOfNobodyElse) {
  EXPECT_EQ(Upsert("amy", JobOf("1"), "amy"), kUpserted);
  for (const char* who : {"amy", "coo"}) {
    v1::UpdateJobsRequest request = Upserts({JobOf("2", "ben")});
    request.set_on_behalf_of("ben");
    grpc::Status status;
    Update(who, request, &status);
    EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED);
    EXPECT_EQ(DetailsOf(status).reason, "ROLE_REQUIRED");
    EXPECT_THAT(status.error_message(), HasSubstr("want one of operator, administrator, frontend"));
    EXPECT_THAT(status.error_message(), HasSubstr("on_behalf_of: got another user than"));
  }
  // Nobody gets a right of uid 0 by its name.
  EXPECT_EQ(Upsert("frontend", JobOf("3", "amy"), "root"), "AccessDenied/user");
}

}  // namespace
}  // namespace priorityd::rpc
