// The tracked queue over gRPC: UpdateJobs, ListJobs, RankJobs, ExplainPriority.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/queue/replication/queue_follower.h"
#include "server/queue/replication/tracked_queues.h"
#include "storage/database/database.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class TrackedQueueTest : public ::testing::Test {
 protected:
  TrackedQueueTest() {
    Import(service_, SmallSite("PriorityWeightFairshare=1000\nPriorityWeightAge=1000\n"));
    service_.SetNow(TestEpoch() + absl::Hours(24));
  }

  static v1::RankJobsResponse Rank(TestService& service, v1::RankJobsRequest request = {}) {
    request.mutable_tracked();
    return RankJobs(service, request);
  }
  static std::vector<std::string> Ranked(TestService& service) {
    std::vector<std::string> ids;
    const v1::RankJobsResponse response = Rank(service);
    for (const v1::RankedJob& row : response.ranked()) ids.push_back(row.job_id());
    return ids;
  }
  static std::vector<std::string> Listed(const v1::ListJobsResponse& response) {
    std::vector<std::string> ids;
    for (const v1::TrackedJob& job : response.jobs()) ids.push_back(job.job().job_id());
    return ids;
  }

  using Ids = std::vector<std::string>;

  TestService service_;
};

TEST_F(TrackedQueueTest, JobsAreRankedWithoutBeingSentAgain) {
  const auto response = UpdateJobs(service_, Upserts({JobOf("2"), JobOf("10"), JobOf("1")}));
  ASSERT_EQ(response.upserts_size(), 3);
  EXPECT_EQ(response.upserts(1).job_id(), "10");
  EXPECT_EQ(response.upserts(1).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Ranked(service_), Ids({"1", "2", "10"}));
}

TEST_F(TrackedQueueTest, TheSameAgainIsUnchanged) {
  UpdateJobs(service_, Upserts({JobOf("1")}));
  service_.SetNow(TestEpoch() + absl::Hours(30));
  EXPECT_EQ(UpdateJobs(service_, Upserts({JobOf("1")})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_UNCHANGED);
}

TEST_F(TrackedQueueTest, ABadJobFailsAloneWithItsField) {
  v1::Job bad = JobOf("2");
  bad.set_nice(INT64_MAX);
  v1::Job lost = JobOf("3");
  lost.set_dependency("afterlife:1");
  const auto response = UpdateJobs(service_, Upserts({JobOf("1"), bad, lost}));
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(response.upserts(1).outcome(), v1::UPDATE_OUTCOME_INVALID);
  EXPECT_EQ(response.upserts(1).field(), "nice");
  EXPECT_EQ(response.upserts(2).field(), "dependency");
  EXPECT_EQ(Ranked(service_), Ids({"1"}));
}

v1::Job RunningOn(const std::string& id, const std::string& nodes) {
  v1::Job job = JobOf(id);
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_node_list(nodes);
  return job;
}

TEST_F(TrackedQueueTest, ANodeListThatIsNoHostlistIsInvalid) {
  std::string many = "n[1-99999]";
  for (int i = 1; i < 2000; ++i) many += ",n[1-99999]";
  const std::map<std::string, std::string> faults = {
      {"n[1-", "got \"n[1-\", want a hostlist: a ] after every ["},
      {"n[1-4000000000]", "got \"n[1-4000000000]\", want at most 1000000 hosts"},
      {"n1 n2", "got \"n1 n2\", want a hostlist: no blanks and no control characters"},
      {"(null)", "got \"(null)\", want a hostlist: no parentheses and no slashes"},
      {"N/A", "got \"N/A\", want a hostlist: no parentheses and no slashes"},
      {many, absl::StrCat("got \"", many.substr(0, 60), "...\", want at most 1000000 hosts")}};
  for (const auto& [nodes, fault] : faults) {
    const auto response = UpdateJobs(service_, Upserts({RunningOn("1", nodes)}));
    EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_INVALID) << nodes;
    EXPECT_EQ(response.upserts(0).field(), "node_list");
    EXPECT_EQ(response.upserts(0).message(), absl::StrCat("node_list: ", fault));
  }
  for (const char* nodes : {"", "n[1-4,7]", "c[01-12]r[1-3],login.a-b,n1", "n[1-1000000]"}) {
    const auto response = UpdateJobs(service_, Upserts({RunningOn("2", nodes)}));
    EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED) << nodes;
    EXPECT_EQ(ListJobs(service_).jobs(0).job().node_list(), nodes);
  }
}

TEST_F(TrackedQueueTest, AnArraysTasksAreCountedAndGivenBack) {
  v1::Job array = JobOf("1");
  array.set_array_task_ids("0-15:4,20,20%2");
  v1::Job counted = JobOf("2");
  counted.set_array_task_ids("1-3");
  counted.set_array_tasks(3);
  v1::Job contradicting = JobOf("3");
  contradicting.set_array_task_ids("1-3");
  contradicting.set_array_tasks(4);
  v1::Job nonsense = JobOf("4");
  nonsense.set_array_task_ids("1..3");
  const auto response = UpdateJobs(service_, Upserts({array, counted, contradicting, nonsense}));
  for (const int bad : {2, 3}) {
    EXPECT_EQ(response.upserts(bad).outcome(), v1::UPDATE_OUTCOME_INVALID);
    EXPECT_EQ(response.upserts(bad).field(), "array_task_ids");
  }
  const v1::ListJobsResponse listed = ListJobs(service_);
  ASSERT_EQ(Listed(listed), Ids({"1", "2"}));
  EXPECT_EQ(listed.jobs(0).job().array_task_ids(), "0-15:4,20,20%2");
  EXPECT_EQ(listed.jobs(0).job().array_tasks(), 5);
  EXPECT_EQ(UpdateJobs(service_, Upserts({listed.jobs(0).job(), counted})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_UNCHANGED);
  v1::RankJobsRequest inline_jobs;
  *inline_jobs.mutable_jobs()->add_jobs() = nonsense;
  EXPECT_EQ(RankJobs(service_, inline_jobs).ineligible(0).reason(), "InvalidJob");
}

TEST_F(TrackedQueueTest, ARestartLosesNothing) {
  v1::Job held = JobOf("2");
  held.set_hold(v1::HOLD_USER);
  v1::Job full = JobOf("3", "cat");
  full.set_account("b");
  full.set_reservation("maintenance");
  full.set_name("render");
  full.set_array_task_ids("1-7:2");
  full.set_dependency("afterany:1");
  full.set_nodes(3);
  (*full.mutable_tres())["mem"] = 100;
  full.mutable_time_limit()->set_nanos(5000);
  UpdateJobs(service_, Upserts({JobOf("1"), held, full}));
  const v1::ListJobsResponse before = ListJobs(service_);
  TestService restarted({.database_url = service_.database_url(), .limits = {}});
  restarted.SetNow(service_.now());
  v1::ListJobsResponse after = ListJobs(restarted);
  *after.mutable_snapshot() = before.snapshot();
  EXPECT_EQ(after.SerializeAsString(), before.SerializeAsString());
  EXPECT_EQ(Rank(restarted).ineligible_size(), 2);
}

TEST_F(TrackedQueueTest, AReplicaCatchesUp) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(service_.now());
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2")}));
  ASSERT_TRUE(other.queues().ReadChanges().ok());
  EXPECT_EQ(Ranked(other), Ids({"1", "2"}));
  v1::UpdateJobsRequest request = Upserts({JobOf("3")});
  request.add_removals("1");
  UpdateJobs(service_, request);
  ASSERT_TRUE(other.queues().ReadChanges().ok());
  EXPECT_EQ(Ranked(other), Ids({"2", "3"}));
  // Changes of both, turn by turn.
  UpdateJobs(other, Upserts({JobOf("4")}));
  UpdateJobs(service_, Upserts({JobOf("5")}));
  EXPECT_EQ(Ranked(service_), Ids({"2", "3", "4", "5"}));
}

TEST_F(TrackedQueueTest, AQueueThatCannotBeReadAgainIsShownAsItWas) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.follower().Stop();
  other.SetNow(service_.now());
  UpdateJobs(service_, Upserts({JobOf("0")}));
  ASSERT_TRUE(other.queues().ReadChanges().ok());
  EXPECT_EQ(Ranked(other), Ids({"0"}));
  constexpr int kMoreThanAPage = 20'001;
  std::vector<v1::Job> jobs;
  for (int i = 1; i <= kMoreThanAPage; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  UpdateJobs(service_, Upserts(jobs));
  // It has to read all pages again, and can read the first page only.
  const auto execute = [&](const char* script) {
    ASSERT_TRUE(service_.database()
                    .Write([&](storage::Transaction& t) { return t.ExecuteScript(script); })
                    .ok());
  };
  execute(
      "UPDATE priorityd.job_queue SET forgotten_change = last_change; "
      "ALTER TABLE priorityd.job_removal RENAME TO away");
  grpc::Status status;
  UpdateJobs(other, Upserts({JobOf("x")}), &status);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(Ranked(other), Ids({"0"}));
  execute("ALTER TABLE priorityd.away RENAME TO job_removal");
  ASSERT_TRUE(other.queues().ReadChanges().ok());
  EXPECT_EQ(Ranked(other).size(), kMoreThanAPage + 1);
}

TEST_F(TrackedQueueTest, AFollowerKeepsAReplicaUpToDate) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.follower().Stop();
  other.SetNow(service_.now());
  UpdateJobs(other, Upserts({JobOf("1")}));
  queue::QueueFollower follower(&other.queues(), absl::Now, absl::Milliseconds(10));
  follower.Start();
  UpdateJobs(service_, Upserts({JobOf("2")}));
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (Ranked(other).size() < 2 && absl::Now() < deadline) follower.Wake();
  EXPECT_EQ(Ranked(other), Ids({"1", "2"}));
}

TEST_F(TrackedQueueTest, UnderIncrOnlyPrioritiesRiseAtRecalculationsAndAreKept) {
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityFlags=INCR_ONLY\nPriorityWeightFairshare=1000\n");
  ApplyPolicy(service_, policy);
  Recalculate(service_);
  UpdateJobs(service_, Upserts({JobOf("1")}));
  const uint32_t before = Rank(service_).ranked(0).priority();
  Recalculate(service_);
  ASSERT_TRUE(service_.queues().ReadChanges().ok());
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch(), absl::Hours(1), 1);
  RecordUsage(service_, usage);
  Recalculate(service_);
  EXPECT_EQ(Rank(service_).ranked(0).priority(), before);
  TestService restarted({.database_url = service_.database_url(), .limits = {}});
  restarted.SetNow(service_.now());
  EXPECT_EQ(Rank(restarted).ranked(0).priority(), before);
  EXPECT_EQ(ListJobs(restarted).jobs(0).job().previous_priority(), before);
}

TEST_F(TrackedQueueTest, UnderIncrOnlyAListShowsWhatSinglePairsHaveHadMore) {
  Import(service_, SmallSite("PriorityFlags=INCR_ONLY\nPriorityWeightPartition=1000\n"
                             "PartitionName=fast Nodes=ALL PriorityJobFactor=10\n"));
  Recalculate(service_);
  v1::Job job = JobOf("1");
  for (const char* partition : {"main", "fast"}) job.add_partitions(partition);
  UpdateJobs(service_, Upserts({job}));
  Recalculate(service_);
  ASSERT_TRUE(service_.queues().ReadChanges().ok());
  std::map<std::string, uint32_t> ranked;
  const v1::RankJobsResponse ranking = Rank(service_);
  for (const v1::RankedJob& row : ranking.ranked()) ranked[row.partition()] = row.priority();
  ASSERT_GT(ranked["fast"], ranked["main"]);
  const v1::TrackedJob listed = ListJobs(service_).jobs(0);
  EXPECT_EQ(listed.job().previous_priority(), ranked["main"]);
  ASSERT_EQ(listed.pair_priorities_size(), 1);
  EXPECT_EQ(listed.pair_priorities(0).partition(), "fast");
  EXPECT_EQ(listed.pair_priorities(0).qos(), "normal");
  EXPECT_EQ(listed.pair_priorities(0).priority(), ranked["fast"]);
}

TEST_F(TrackedQueueTest, AFullSyncRemovesWhatItsSourceHasNoMore) {
  v1::UpdateJobsRequest foreign = Upserts({JobOf("9")});
  foreign.set_source("other");
  UpdateJobs(service_, foreign);
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2")}));
  v1::UpdateJobsRequest sync = Upserts({JobOf("2"), JobOf("3")});
  sync.set_full_sync(true);
  EXPECT_EQ(UpdateJobs(service_, sync).removed_by_sync(), 1);
  EXPECT_EQ(Ranked(service_), Ids({"2", "3", "9"}));
  EXPECT_EQ(UpdateJobs(service_, sync).removed_by_sync(), 0);
}

TEST_F(TrackedQueueTest, ANewSnapshotIsSeenAtOnce) {
  UpdateJobs(service_, Upserts({JobOf("1", "amy"), JobOf("2", "cat")}));
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch(), absl::Hours(1), 1);
  RecordUsage(service_, usage);
  const v1::Snapshot snapshot = Recalculate(service_);
  const v1::RankJobsResponse response = Rank(service_);
  EXPECT_EQ(response.snapshot().generation(), snapshot.generation());
  EXPECT_EQ(response.ranked(0).job_id(), "2");
}

TEST_F(TrackedQueueTest, TheAnswerIsThatOfTheSameJobsInline) {
  Recalculate(service_);  // Else the one that is due comes between the two.
  std::vector<v1::Job> jobs;
  for (int i = 0; i < 700; ++i) {
    v1::Job job = JobOf(absl::StrCat(i), i % 3 == 0 ? "cat" : "amy");
    job.set_nodes(i % 13);
    *job.mutable_submit_time() = ToTimestamp(TestEpoch() + absl::Minutes(i * 7 % 100));
    if (i % 11 == 0) job.set_hold(v1::HOLD_USER);
    if (i % 17 == 0) job.set_state(v1::JOB_STATE_RUNNING);
    if (i % 5 == 0) job.set_account("nobody's");
    jobs.push_back(job);
  }
  UpdateJobs(service_, Upserts(jobs));
  v1::RankJobsRequest request;
  request.set_view(v1::RANK_VIEW_FULL);
  const v1::RankJobsResponse tracked = Rank(service_, request);
  for (const v1::Job& job : jobs) *request.mutable_jobs()->add_jobs() = job;
  const v1::RankJobsResponse inline_answer = RankJobs(service_, request);
  EXPECT_EQ(tracked.DebugString(), inline_answer.DebugString());
}

TEST_F(TrackedQueueTest, LimitsAreCounted) {
  v1::Job running = JobOf("3");
  running.set_state(v1::JOB_STATE_RUNNING);
  v1::Job other = running;
  other.set_job_id("4");
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2"), running, other}));
  v1::RankJobsRequest request;
  request.set_limit(1);
  request.set_running_limit(1);
  const v1::RankJobsResponse response = Rank(service_, request);
  EXPECT_EQ(response.ranked_size(), 1);
  EXPECT_EQ(response.ranked_total(), 2);
  EXPECT_EQ(response.running_size(), 1);
  EXPECT_EQ(response.running_total(), 2);
}

TEST_F(TrackedQueueTest, DependenciesAreResolvedWhenTheEndIsReported) {
  v1::Job waits = JobOf("2");
  waits.set_dependency("afterok:1");
  UpdateJobs(service_, Upserts({waits, JobOf("1")}));
  EXPECT_EQ(Rank(service_).ineligible(0).reason(), "Dependency");
  v1::Job ended = JobOf("1");
  ended.set_state(v1::JOB_STATE_COMPLETED);
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(service_.now());
  UpdateJobs(other, Upserts({ended}));
  ASSERT_TRUE(service_.queues().ReadChanges().ok());
  EXPECT_EQ(Ranked(service_), Ids({"2"}));
}

TEST_F(TrackedQueueTest, ExplainReportsWhatAJobWaitsFor) {
  v1::Job runs = JobOf("1");
  runs.set_state(v1::JOB_STATE_RUNNING);
  v1::Job waits = JobOf("3");
  waits.set_dependency("afterok:1:2");
  UpdateJobs(service_, Upserts({runs, JobOf("2"), waits}));
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("3");
  const auto explained = ExplainPriority(service_, request);
  EXPECT_THAT(explained.sentences(),
              ::testing::IsSupersetOf(
                  {"It waits for a successful end of job 1 (afterok), which is running.",
                   "It waits for a successful end of job 2 (afterok), which is pending."}));
}

TEST_F(TrackedQueueTest, ExplainReportsTheRankInTheWholeQueue) {
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2"), JobOf("3")}));
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("2");
  const auto explained = ExplainPriority(service_, request);
  EXPECT_EQ(explained.rank(), 2);
  EXPECT_EQ(explained.ranked_total(), 3);
  EXPECT_EQ(explained.user(), "amy");
  grpc::Status status;
  request.set_job_id("7");
  ExplainPriority(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_JOB");
  request.clear_job_id();
  ExplainPriority(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(TrackedQueueTest, TwoTrackedJobsAreCompared) {
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2")}));
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("1");
  request.mutable_compare_to()->set_job_id("2");
  const auto explained = ExplainPriority(service_, request);
  ASSERT_TRUE(explained.has_comparison());
  EXPECT_EQ(explained.comparison().rule(), v1::ORDER_RULE_JOB_ID);
  request.mutable_compare_to()->set_job_id("3");
  grpc::Status status;
  ExplainPriority(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(TrackedQueueTest, OnAManualClockItsTimeCounts) {
  v1::ApplyPolicyRequest policy;
  policy.set_text("Clock=manual\nPriorityWeightAge=1000\n");
  ApplyPolicy(service_, policy);
  v1::RecalculateRequest recalculate;
  *recalculate.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(48));
  Recalculate(service_, recalculate);
  UpdateJobs(service_, Upserts({JobOf("1")}));
  EXPECT_EQ(ListJobs(service_).jobs(0).job().submit_time().seconds(),
            absl::ToUnixSeconds(TestEpoch() + absl::Hours(48)));
}

TEST_F(TrackedQueueTest, WithoutASnapshotThereIsNoQueue) {
  TestService empty;
  grpc::Status status;
  UpdateJobs(empty, Upserts({JobOf("1")}), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

}  // namespace
}  // namespace priorityd::rpc
