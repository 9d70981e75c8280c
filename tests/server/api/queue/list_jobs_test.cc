#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/queue/replication/queue_follower.h"
#include "server/queue/replication/tracked_queues.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using Ids = std::vector<std::string>;

Ids Listed(const v1::ListJobsResponse& response) {
  Ids ids;
  for (const v1::TrackedJob& job : response.jobs()) ids.push_back(job.job().job_id());
  return ids;
}

class ListJobsTest : public ::testing::Test {
 protected:
  ListJobsTest() {
    Import(service_, SmallSite());
    service_.SetNow(TestEpoch() + absl::Hours(24));
    // Else one is due, whose snapshot may come between two lists of a test.
    Recalculate(service_);
  }

  TestService service_;
};

TEST_F(ListJobsTest, PagesAreOfTheQueueAsItWas) {
  std::vector<v1::Job> jobs;
  for (int i = 1; i <= 5; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  UpdateJobs(service_, Upserts(jobs));
  v1::ListJobsRequest request;
  request.set_page_size(2);
  const v1::ListJobsResponse first = ListJobs(service_, request);
  EXPECT_EQ(Listed(first), Ids({"1", "2"}));
  EXPECT_EQ(first.total(), 5);
  v1::UpdateJobsRequest removal;
  removal.add_removals("3");
  EXPECT_EQ(UpdateJobs(service_, removal).removals(0).outcome(), v1::UPDATE_OUTCOME_REMOVED);
  request.set_page_token(first.next_page_token());
  const v1::ListJobsResponse second = ListJobs(service_, request);
  EXPECT_EQ(Listed(second), Ids({"3", "4"}));
  request.set_page_token(second.next_page_token());
  const v1::ListJobsResponse last = ListJobs(service_, request);
  EXPECT_EQ(Listed(last), Ids({"5"}));
  EXPECT_EQ(last.next_page_token(), "");
  request.add_users("cat");
  grpc::Status status;
  ListJobs(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_PAGE_TOKEN");
}

TEST_F(ListJobsTest, AnotherReplicaContinuesWithTheListAsTheQueueIsThere) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.follower().Stop();
  other.SetNow(service_.now());
  std::vector<v1::Job> jobs;
  for (int i = 5; i <= 12; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  UpdateJobs(service_, Upserts(jobs));
  for (const v1::JobOrder order : {v1::JOB_ORDER_JOB_ID, v1::JOB_ORDER_SUBMIT_TIME}) {
    v1::ListJobsRequest request;
    request.set_page_size(3);
    request.set_order(order);
    const v1::ListJobsResponse first = ListJobs(service_, request);
    EXPECT_EQ(Listed(first), Ids({"5", "6", "7"}));
    // The job listed last and the next one are removed, there is one more on either side.
    UpdateJobs(other, Upserts({JobOf("4"), JobOf("100")}));
    v1::UpdateJobsRequest removal;
    for (const char* id : {"7", "8"}) removal.add_removals(id);
    UpdateJobs(other, removal);
    request.set_page_token(first.next_page_token());
    const v1::ListJobsResponse second = ListJobs(other, request);
    EXPECT_EQ(Listed(second), Ids({"9", "10", "11"}));
    request.set_page_token(second.next_page_token());
    EXPECT_EQ(Listed(ListJobs(other, request)), Ids({"12", "100"}));
    // The first one still has the list as it was, its own next page too.
    ASSERT_TRUE(service_.queues().ReadChanges().ok());
    request.set_page_token(first.next_page_token());
    EXPECT_EQ(Listed(ListJobs(service_, request)), Ids({"8", "9", "10"}));
    removal.clear_removals();
    for (const char* id : {"4", "100"}) removal.add_removals(id);
    UpdateJobs(other, removal);
    UpdateJobs(other, Upserts({JobOf("7"), JobOf("8")}));
    ASSERT_TRUE(service_.queues().ReadChanges().ok());
  }
}

TEST_F(ListJobsTest, AListIsMadeOnceForEqualRequestsToTheSameQueue) {
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2"), JobOf("3")}));
  v1::ListJobsRequest request;
  request.set_page_size(2);
  request.set_with_ranking(true);
  const std::string first = ListJobs(service_, request).next_page_token();
  service_.SetNow(service_.now() + absl::Milliseconds(900));
  EXPECT_EQ(ListJobs(service_, request).next_page_token(), first);
  service_.SetNow(service_.now() + absl::Milliseconds(100));
  const std::string second = ListJobs(service_, request).next_page_token();
  EXPECT_NE(second, first);
  v1::ListJobsRequest other = request;
  other.add_users("cat");
  EXPECT_EQ(ListJobs(service_, other).total(), 0);
  UpdateJobs(service_, Upserts({JobOf("0")}));
  const v1::ListJobsResponse changed = ListJobs(service_, request);
  EXPECT_EQ(Listed(changed), Ids({"0", "1"}));
  EXPECT_NE(changed.next_page_token(), second);
}

TEST_F(ListJobsTest, ListsAreInTheNaturalOrderOfIds) {
  UpdateJobs(service_, Upserts({JobOf("job-10"), JobOf("job-9"), JobOf("10"), JobOf("9"),
                                JobOf("9_10"), JobOf("9_9"), JobOf("longer-than-seven-b"),
                                JobOf("longer-than-seven-a"), JobOf("010")}));
  EXPECT_EQ(Listed(ListJobs(service_)), Ids({"9", "9_9", "9_10", "010", "10", "job-9", "job-10",
                                             "longer-than-seven-a", "longer-than-seven-b"}));
}

// amy's default account is a, the default partition main, the default QOS normal.
TEST_F(ListJobsTest, JobsAreShownAndFoundByWhatAppliesToThem) {
  v1::Job named = JobOf("2", "cat");
  named.set_account("b");
  named.add_partitions("main");
  named.add_qos("double");
  UpdateJobs(service_, Upserts({JobOf("1"), named}));
  const v1::ListJobsResponse all = ListJobs(service_);
  ASSERT_EQ(Listed(all), Ids({"1", "2"}));
  EXPECT_EQ(all.jobs(0).account(), "a");
  EXPECT_THAT(all.jobs(0).partitions(), testing::ElementsAre("main"));
  EXPECT_THAT(all.jobs(0).qos(), testing::ElementsAre("normal"));
  EXPECT_EQ(all.jobs(0).job().account(), "") << "as sent";
  EXPECT_THAT(all.jobs(0).job().partitions(), testing::IsEmpty());
  EXPECT_THAT(all.jobs(1).qos(), testing::ElementsAre("double"));

  struct Case {
    void (*set)(v1::ListJobsRequest&);
    Ids applied;
    Ids as_submitted;
  };
  for (const Case& filter : std::vector<Case>{
           {[](v1::ListJobsRequest& r) { r.add_accounts("a"); }, {"1"}, {}},
           {[](v1::ListJobsRequest& r) { r.add_accounts("b"); }, {"2"}, {"2"}},
           {[](v1::ListJobsRequest& r) { r.add_partitions("main"); }, {"1", "2"}, {"2"}},
           {[](v1::ListJobsRequest& r) { r.add_qos("normal"); }, {"1"}, {}},
           {[](v1::ListJobsRequest& r) { r.add_qos("double"); }, {"2"}, {"2"}}}) {
    v1::ListJobsRequest request;
    filter.set(request);
    SCOPED_TRACE(request.ShortDebugString());
    EXPECT_EQ(Listed(ListJobs(service_, request)), filter.applied);
    request.set_as_submitted(true);
    EXPECT_EQ(Listed(ListJobs(service_, request)), filter.as_submitted);
  }
}

// A job in a partition, with a time limit of its own if it is not 0.
v1::Job JobIn(const std::string& id, const std::string& partition, int seconds = 0) {
  v1::Job job = JobOf(id);
  job.add_partitions(partition);
  if (seconds > 0) job.mutable_time_limit()->set_seconds(seconds);
  return job;
}

TEST_F(ListJobsTest, AJobWithoutATimeLimitHasThatOfItsPartition) {
  Import(service_, SmallSite("PartitionName=short Nodes=ALL MaxTime=30\n"
                             "PartitionName=long Nodes=ALL DefaultTime=60 MaxTime=1-0\n"));
  Recalculate(service_);
  v1::Job ended = JobIn("5", "short");
  ended.set_state(v1::JOB_STATE_COMPLETED);
  UpdateJobs(service_, Upserts({JobOf("1"), JobIn("2", "short"), JobIn("3", "long"),
                                JobIn("4", "long", 120), ended}));
  v1::ListJobsRequest request;
  for (const char* id : {"1", "2", "3", "4", "5"}) request.add_job_ids(id);
  const v1::ListJobsResponse all = ListJobs(service_, request);
  ASSERT_EQ(Listed(all), Ids({"1", "2", "3", "4", "5"}));
  EXPECT_FALSE(all.jobs(0).has_time_limit()) << "main has neither";
  EXPECT_EQ(all.jobs(1).time_limit().seconds(), 1800) << "MaxTime";
  EXPECT_EQ(all.jobs(2).time_limit().seconds(), 3600) << "DefaultTime";
  EXPECT_EQ(all.jobs(3).time_limit().seconds(), 120);
  EXPECT_EQ(all.jobs(4).time_limit().seconds(), 1800);
  EXPECT_FALSE(all.jobs(1).job().has_time_limit()) << "as sent";
}

// squeue(1): "Once a dependency is satisfied, it is removed from the job."
TEST_F(ListJobsTest, AMetDependencyLeavesTheUnmetOnes) {
  v1::Job waits = JobOf("3");
  waits.set_dependency("afterany:1:2");
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2"), waits}));
  v1::ListJobsRequest request;
  request.add_job_ids("3");
  const auto unmet = [&] { return ListJobs(service_, request).jobs(0).unmet_dependency(); };
  EXPECT_EQ(unmet(), "afterany:1(unfulfilled),afterany:2(unfulfilled)");
  for (const auto& [ends, left] : {std::pair("1", "afterany:2(unfulfilled)"), std::pair("2", "")}) {
    v1::Job ended = JobOf(ends);
    ended.set_state(v1::JOB_STATE_COMPLETED);
    UpdateJobs(service_, Upserts({ended}));
    EXPECT_EQ(unmet(), left);
  }
  EXPECT_EQ(ListJobs(service_, request).jobs(0).job().dependency(), "afterany:1:2");
}

// A job that has ended, as its frontend reports it.
v1::Job EndedJob(const std::string& id, absl::Time start) {
  v1::Job job = JobOf(id);
  job.set_state(v1::JOB_STATE_FAILED);
  *job.mutable_start_time() = ToTimestamp(start);
  *job.mutable_end_time() = ToTimestamp(start + absl::Minutes(3));
  job.set_exit_code(1);
  job.set_exit_signal(9);
  job.set_node_list("n[1-2]");
  job.set_requeue(false);
  return job;
}

v1::ListJobsRequest WithState(v1::JobState state) {
  v1::ListJobsRequest request;
  request.add_states(state);
  return request;
}

TEST_F(ListJobsTest, AJobThatHasEndedIsListedForMinJobAgeWhereItIsAskedFor) {
  v1::Job plain = JobOf("3", "cat");
  plain.set_state(v1::JOB_STATE_COMPLETED);
  UpdateJobs(service_, Upserts({JobOf("1"), EndedJob("2", service_.now()), plain}));
  EXPECT_EQ(Listed(ListJobs(service_)), Ids({"1"}));
  v1::ListJobsRequest by_id;
  by_id.add_job_ids("1");
  by_id.add_job_ids("2");
  by_id.set_with_ranking(true);
  const v1::ListJobsResponse named = ListJobs(service_, by_id);
  ASSERT_EQ(Listed(named), Ids({"1", "2"}));
  EXPECT_EQ(named.jobs(0).rank(), 1u);
  EXPECT_EQ(named.jobs(1).rank(), 0u);
  EXPECT_EQ(named.jobs(1).account(), "a");
  const v1::Job& failed = named.jobs(1).job();
  EXPECT_EQ(failed.state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(failed.exit_code(), 1u);
  EXPECT_EQ(failed.exit_signal(), 9u);
  EXPECT_EQ(failed.node_list(), "n[1-2]");
  EXPECT_TRUE(failed.has_requeue());
  EXPECT_FALSE(failed.requeue());
  EXPECT_EQ(failed.end_time().seconds(), ToTimestamp(service_.now()).seconds() + 180);
  const v1::ListJobsResponse completed = ListJobs(service_, WithState(v1::JOB_STATE_COMPLETED));
  ASSERT_EQ(Listed(completed), Ids({"3"}));
  EXPECT_EQ(completed.jobs(0).job().end_time().seconds(), ToTimestamp(service_.now()).seconds())
      << "the time of the report";
  EXPECT_FALSE(completed.jobs(0).job().has_exit_code()) << "unknown";
  v1::ListJobsRequest both = WithState(v1::JOB_STATE_PENDING);
  both.add_states(v1::JOB_STATE_FAILED);
  both.set_page_size(1);
  const v1::ListJobsResponse first = ListJobs(service_, both);
  EXPECT_EQ(Listed(first), Ids({"1"}));
  both.set_page_token(first.next_page_token());
  EXPECT_EQ(Listed(ListJobs(service_, both)), Ids({"2"}));

  TestService restarted({.database_url = service_.database_url(), .limits = {}});
  restarted.SetNow(service_.now() + absl::Minutes(5));
  v1::ListJobsResponse later = ListJobs(restarted, by_id);
  ASSERT_EQ(Listed(later), Ids({"1", "2"}));
  EXPECT_EQ(later.jobs(1).ShortDebugString(), named.jobs(1).ShortDebugString());
  restarted.SetNow(service_.now() + absl::Minutes(5) + absl::Seconds(1));
  EXPECT_EQ(Listed(ListJobs(restarted, by_id)), Ids({"1"})) << "MinJobAge is 300 by default";
}

TEST_F(ListJobsTest, FaultyEndsAreInvalid) {
  const auto field_of = [this](const v1::Job& job) {
    return UpdateJobs(service_, Upserts({job})).upserts(0).field();
  };
  v1::Job job = EndedJob("1", service_.now());
  job.set_exit_code(65536);
  EXPECT_EQ(field_of(job), "exit_code");
  job.set_exit_code(65535);
  job.set_exit_signal(65536);
  EXPECT_EQ(field_of(job), "exit_signal");
  job.set_exit_signal(0);
  job.set_node_list(std::string(32769, 'n'));
  EXPECT_EQ(field_of(job), "node_list");
  const std::vector<std::string> longest(128, std::string(255, 'n'));
  job.set_node_list(absl::StrJoin(longest, ",") + ",");
  ASSERT_EQ(job.node_list().size(), 32768u);
  *job.mutable_end_time() = ToTimestamp(service_.now() - absl::Seconds(1));
  EXPECT_EQ(field_of(job), "end_time");
  job.clear_end_time();
  EXPECT_EQ(field_of(job), "");
}

TEST_F(ListJobsTest, ListsAreFilteredAndOrdered) {
  v1::Job early = JobOf("3", "cat");
  *early.mutable_submit_time() = ToTimestamp(TestEpoch());
  v1::Job running = JobOf("2", "cat");
  running.set_state(v1::JOB_STATE_RUNNING);
  UpdateJobs(service_, Upserts({JobOf("1"), running, early}));
  v1::ListJobsRequest request;
  request.set_order(v1::JOB_ORDER_SUBMIT_TIME);
  EXPECT_EQ(Listed(ListJobs(service_, request)), Ids({"3", "1", "2"}));
  request.add_users("cat");
  EXPECT_EQ(Listed(ListJobs(service_, request)), Ids({"3", "2"}));
  request.add_states(v1::JOB_STATE_RUNNING);
  EXPECT_EQ(Listed(ListJobs(service_, request)), Ids({"2"}));
}

}  // namespace
}  // namespace priorityd::rpc
