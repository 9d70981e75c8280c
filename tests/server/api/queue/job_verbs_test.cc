// What scontrol and squeue need, over gRPC: fields of jobs alone, top, and lists with places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class JobVerbsTest : public ::testing::Test {
 protected:
  JobVerbsTest() {
    Import(service_, SmallSite("PriorityWeightAge=100000\nPriorityMaxAge=10-0\n"));
    service_.SetNow(TestEpoch() + absl::Hours(24));
  }

  static v1::UpdateJobsRequest Fields(const v1::Job& job, const std::vector<std::string>& paths) {
    v1::UpdateJobsRequest request = Upserts({job});
    request.set_source("scontrol");
    for (const std::string& path : paths) request.mutable_update_mask()->add_paths(path);
    return request;
  }
  grpc::Status Try(const v1::UpdateJobsRequest& request) {
    grpc::Status status;
    UpdateJobs(service_, request, &status);
    return status;
  }
  v1::TrackedJob Listed(const std::string& id) {
    v1::ListJobsRequest request;
    request.add_job_ids(id);
    request.set_with_ranking(true);
    const v1::ListJobsResponse list = ListJobs(service_, request);
    EXPECT_EQ(list.jobs_size(), 1) << id;
    return list.jobs_size() == 1 ? list.jobs(0) : v1::TrackedJob();
  }
  v1::Job Submitted(const std::string& id, absl::Duration age) {
    v1::Job job = JobOf(id);
    *job.mutable_submit_time() = ToTimestamp(TestEpoch() + absl::Hours(24) - age);
    return job;
  }

  TestService service_;
};

TEST_F(JobVerbsTest, ANamedFieldChangesAndNothingElse) {
  v1::Job job = JobOf("1");
  job.set_name("steam");
  job.mutable_time_limit()->set_seconds(3600);
  (*job.mutable_tres())["cpu"] = 4;
  UpdateJobs(service_, Upserts({job}));
  v1::Job want = Listed("1").job();
  v1::Job told;
  told.set_job_id("1");
  told.set_nice(7);
  told.set_name("not named in the mask");
  const auto response = UpdateJobs(service_, Fields(told, {"nice"}));
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  want.set_nice(7);
  EXPECT_EQ(Listed("1").job().SerializeAsString(), want.SerializeAsString());
  EXPECT_EQ(Listed("1").source(), "test");
  told.set_job_id("2");
  EXPECT_EQ(UpdateJobs(service_, Fields(told, {"nice"})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_NOT_FOUND);
}

TEST_F(JobVerbsTest, AFieldThatIsNamedAndLeftOutIsUnset) {
  v1::Job job = JobOf("1");
  job.set_admin_priority(9);
  job.mutable_time_limit()->set_seconds(3600);
  UpdateJobs(service_, Upserts({job}));
  v1::Job told;
  told.set_job_id("1");
  UpdateJobs(service_, Fields(told, {"admin_priority", "time_limit"}));
  EXPECT_FALSE(Listed("1").job().has_admin_priority());
  EXPECT_FALSE(Listed("1").job().has_time_limit());
}

TEST_F(JobVerbsTest, AMaskIsCheckedPathByPath) {
  const grpc::Status status = Try(Fields(JobOf("1"), {"nice", "submit_time", "nicce"}));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("update_mask.paths[1]: got \"submit_time\""));
  v1::UpdateJobsRequest sync = Fields(JobOf("1"), {"nice"});
  sync.set_full_sync(true);
  EXPECT_THAT(Try(sync).error_message(), HasSubstr("update_mask: got one with full_sync"));
  v1::UpdateJobsRequest none = Upserts({JobOf("1")});
  none.mutable_update_mask();
  EXPECT_THAT(Try(none).error_message(), HasSubstr("update_mask: got one without paths"));
}

TEST_F(JobVerbsTest, AListReportsPlacesPrioritiesAndReasons) {
  v1::Job waits = Submitted("3", absl::Hours(9));
  waits.set_dependency("afterok:1,2");
  UpdateJobs(service_,
             Upserts({Submitted("1", absl::Hours(5)), Submitted("2", absl::Hours(8)), waits}));
  EXPECT_EQ(Listed("2").rank(), 1);
  EXPECT_EQ(Listed("2").reason(), "Resources");
  EXPECT_EQ(Listed("1").rank(), 2);
  EXPECT_EQ(Listed("1").reason(), "Priority");
  EXPECT_EQ(Listed("1").reason_text(), "waits for 1 job before it");
  EXPECT_EQ(Listed("3").rank(), 0);
  EXPECT_EQ(Listed("3").reason(), "Dependency");
  EXPECT_EQ(Listed("3").reason_text(), "waits for afterok:1,2");
  v1::RankJobsRequest request;
  request.mutable_tracked();
  EXPECT_EQ(RankJobs(service_, request).ranked(0).priority(), Listed("2").priority());
  EXPECT_EQ(ListJobs(service_).jobs(0).reason(), "") << "nobody asked";
}

TEST_F(JobVerbsTest, ExplainNamesWhatIsWaitedFor) {
  v1::Job waits = JobOf("3");
  waits.set_dependency("afterok:1");
  UpdateJobs(service_, Upserts({JobOf("1"), waits}));
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("3");
  EXPECT_THAT(
      ExplainPriority(service_, request).sentences(),
      ::testing::Contains("It waits for a successful end of job 1 (afterok), which is pending."));
}

TEST_F(JobVerbsTest, TopPutsJobsFirstAndKeepsTheSumOfNice) {
  UpdateJobs(service_, Upserts({Submitted("1", absl::Hours(8)), Submitted("2", absl::Hours(5)),
                                Submitted("3", absl::Hours(2))}));
  v1::TopJobsRequest request;
  request.add_job_ids("3");
  v1::TopJobsResponse response;
  ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  EXPECT_EQ(response.results_size(), 3);
  EXPECT_EQ(Listed("3").rank(), 1);
  EXPECT_EQ(Listed("1").rank(), 2);
  EXPECT_EQ(Listed("1").job().nice() + Listed("2").job().nice() + Listed("3").job().nice(), 0);
}

TEST_F(JobVerbsTest, ATaskComesBackFromTheDatabaseAsItWas) {
  v1::Job array = JobOf("9");
  array.set_array_task_ids("1-5%1");
  v1::Job task = JobOf("90");
  task.set_array_job_id("9");
  task.set_array_task_id(0);
  task.set_state(v1::JOB_STATE_RUNNING);
  UpdateJobs(service_, Upserts({array, task}));
  EXPECT_EQ(Listed("9").reason(), "JobArrayTaskLimit");
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(TestEpoch() + absl::Hours(24));
  v1::ListJobsRequest request;
  request.set_with_ranking(true);
  const v1::ListJobsResponse list = ListJobs(other, request);
  ASSERT_EQ(list.jobs_size(), 2);
  EXPECT_EQ(list.jobs(0).reason(), "JobArrayTaskLimit");
  EXPECT_EQ(list.jobs(1).job().array_job_id(), "9");
  EXPECT_EQ(list.jobs(1).job().array_task_id(), 0);
  EXPECT_TRUE(list.jobs(1).job().has_array_task_id());
}

}  // namespace
}  // namespace priorityd::rpc
