// Locks that somebody else holds in PostgreSQL, on rows and tables of one cluster: what waits for
// them, and that nothing else does.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/database/database.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"
#include "tests/stepped_clock.h"
#include "tests/storage/held_lock.h"

namespace priorityd::rpc {
namespace {

using ::priorityd::storage::HeldLock;

// Of what must not wait; shorter than any limit of a transaction.
constexpr absl::Duration kAtOnce = absl::Seconds(8);

std::string LockOf(const std::string& cluster) {
  return absl::StrCat(
      "SELECT pg_advisory_xact_lock(7412, id) FROM priorityd.cluster WHERE name = '", cluster, "'");
}

// Calls a method of a stub with a deadline.
template <typename Response, typename Stub, typename Method, typename Request>
grpc::Status CallWithin(absl::Duration patience, Stub& stub, Method method, const Request& request,
                        Response* response) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + patience));
  return (stub.*method)(&context, request, response);
}

bool IsReady(const std::future<grpc::Status>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// Clusters c and d, both as SmallSite.
class HeldLocksTest : public ::testing::Test {
 protected:
  HeldLocksTest() {
    for (const char* cluster : {"c", "d"}) {
      v1::ImportRequest site = SmallSite("PriorityDecayHalfLife=7-0\n");
      site.set_cluster(cluster);
      Import(service_, site);
    }
    service_.SetNow(TestEpoch() + absl::Hours(2));
  }

  grpc::Status Record(const std::string& cluster, const std::string& id,
                      const std::string& qos = "", absl::Duration patience = kAtOnce) {
    v1::RecordUsageRequest request;
    request.set_cluster(cluster);
    *request.add_records() = Usage(id, TestEpoch(), absl::Hours(1), 4);
    request.mutable_records(0)->set_qos(qos);
    v1::RecordUsageResponse response;
    const grpc::Status status =
        CallWithin(patience, PriorityStub(service_), &v1::PriorityService::Stub::RecordUsage,
                   request, &response);
    EXPECT_EQ(response.accepted(), status.ok() ? 1 : 0);
    return status;
  }
  std::future<grpc::Status> RecordMeanwhile(const std::string& cluster, const std::string& id) {
    return std::async(std::launch::async,
                      [=, this] { return Record(cluster, id, "", absl::Minutes(1)); });
  }

  static v1::UpdateJobsRequest Upsert(const std::string& cluster, const std::string& job_id) {
    v1::UpdateJobsRequest request;
    request.set_cluster(cluster);
    request.set_source("test");
    v1::Job& job = *request.add_upserts();
    job.set_job_id(job_id);
    job.set_user("amy");
    job.set_account("a");
    *job.mutable_submit_time() = ToTimestamp(TestEpoch());
    return request;
  }
  grpc::Status Update(const std::string& cluster, const std::string& job_id,
                      absl::Duration patience) {
    v1::UpdateJobsResponse response;
    return CallWithin(patience, PriorityStub(service_), &v1::PriorityService::Stub::UpdateJobs,
                      Upsert(cluster, job_id), &response);
  }

  // Whether one of a few tries takes less than what an update waits for a lock. A busy host may
  // take longer once.
  bool UpdatesSoon(const std::string& cluster, const std::string& job_id) {
    grpc::Status status;
    for (int tries = 0; tries < 3; ++tries) {
      status = Update(cluster, job_id, absl::Seconds(4));
      if (status.ok()) return true;
    }
    ADD_FAILURE() << status.error_message();
    return false;
  }

  std::future<grpc::Status> HistoryMeanwhile() {
    return std::async(std::launch::async, [this] {
      v1::ListShareHistoryRequest request;
      request.set_cluster("c");
      v1::ListShareHistoryResponse response;
      return CallWithin(absl::Minutes(1), PriorityStub(service_),
                        &v1::PriorityService::Stub::ListShareHistory, request, &response);
    });
  }

  v1::RankJobsResponse RankAtOnce(const std::string& cluster) {
    v1::RankJobsRequest request;
    request.set_cluster(cluster);
    request.mutable_tracked();
    v1::RankJobsResponse response;
    const grpc::Status status = CallWithin(
        kAtOnce, PriorityStub(service_), &v1::PriorityService::Stub::RankJobs, request, &response);
    EXPECT_TRUE(status.ok()) << cluster << ": " << status.error_message();
    return response;
  }

  v1::ExplainPriorityResponse ExplainAtOnce(const std::string& cluster, const std::string& job_id) {
    v1::ExplainPriorityRequest request;
    request.set_cluster(cluster);
    request.mutable_tracked();
    request.set_job_id(job_id);
    v1::ExplainPriorityResponse response;
    const grpc::Status status =
        CallWithin(kAtOnce, PriorityStub(service_), &v1::PriorityService::Stub::ExplainPriority,
                   request, &response);
    EXPECT_TRUE(status.ok()) << cluster << ": " << status.error_message();
    return response;
  }

  grpc::Status ImportQos(const std::string& lines, absl::Duration patience) {
    v1::ImportRequest request;
    request.set_cluster("d");
    AddFile(v1::FILE_KIND_QOS, "qos", absl::StrCat("Name|Flags\n", lines), &request);
    v1::ImportResponse response;
    return CallWithin(patience, AdminStub(service_), &v1::AdminService::Stub::Import, request,
                      &response);
  }

  void Execute(const char* statement) {
    const absl::Status status = service_.database().Write(
        [&](storage::Transaction& t) { return t.Execute(statement).status(); });
    ASSERT_TRUE(status.ok()) << status;
  }

  // How many usage rows are not what the ledger says.
  int64_t WrongRows(const std::string& cluster) {
    v1::RebuildUsageRequest request;
    request.set_cluster(cluster);
    request.set_validate_only(true);
    grpc::ClientContext context;
    auto reader = AdminStub(service_).RebuildUsage(&context, request);
    v1::RebuildUsageResponse response;
    while (reader->Read(&response)) {
    }
    EXPECT_TRUE(reader->Finish().ok());
    EXPECT_TRUE(response.done());
    return response.different_rows();
  }

  double RawUsage(const std::string& cluster) {
    v1::RecalculateRequest recalculate;
    recalculate.set_cluster(cluster);
    Recalculate(service_, recalculate);
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    return ShareOf(ListShares(service_, request), "a", "amy").raw_usage();
  }

  TestService service_;
};

TEST_F(HeldLocksTest, ALockedClusterDelaysNoRecordOfAnother) {
  HeldLock lock(service_.database_url(), LockOf("d"));
  std::vector<std::future<grpc::Status>> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(RecordMeanwhile("d", absl::StrCat("d", i)));
  lock.AwaitWaiters();
  for (int i = 0; i < 3; ++i) {
    const grpc::Status status = Record("c", absl::StrCat("c", i));
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  for (const auto& record : waiting) EXPECT_FALSE(IsReady(record));
  lock.Release();
  for (auto& record : waiting) EXPECT_TRUE(record.get().ok());
  EXPECT_NEAR(RawUsage("d") / RawUsage("c"), 10.0 / 3, 1e-9);
}

TEST_F(HeldLocksTest, ManyLockedClustersHoldUpNoRecordOfAnother) {
  std::string locks;
  for (int i = 0; i < 6; ++i) {
    v1::ImportRequest site = SmallSite();
    site.set_cluster(absl::StrCat("e", i));
    Import(service_, site);
    absl::StrAppend(&locks, LockOf(site.cluster()), "; ");
  }
  HeldLock lock(service_.database_url(), locks);
  std::vector<std::future<grpc::Status>> waiting;
  for (int i = 0; i < 6; ++i) waiting.push_back(RecordMeanwhile(absl::StrCat("e", i), "r"));
  lock.AwaitWaiters(2);
  for (int i = 0; i < 3; ++i) {
    const grpc::Status status = Record("c", absl::StrCat("c", i));
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  lock.Release();
  for (auto& record : waiting) EXPECT_TRUE(record.get().ok());
}

TEST_F(HeldLocksTest, RankingsWaitForNoUpdateOfTheQueue) {
  for (const char* cluster : {"c", "d"}) ASSERT_TRUE(Update(cluster, "1", kAtOnce).ok());
  const int64_t before = RankAtOnce("d").snapshot().generation();
  HeldLock lock(service_.database_url(), "SELECT * FROM priorityd.job_queue FOR UPDATE");
  std::future<grpc::Status> update =
      std::async(std::launch::async, [this] { return Update("d", "2", absl::Minutes(1)); });
  lock.AwaitWaiters();
  for (const char* cluster : {"c", "d"}) {
    v1::RecalculateRequest recalculate;
    recalculate.set_cluster(cluster);
    Recalculate(service_, recalculate);
    const v1::RankJobsResponse ranking = RankAtOnce(cluster);
    EXPECT_EQ(ranking.ranked_size(), 1);
    EXPECT_GT(ranking.snapshot().generation(), before);
    ExplainAtOnce(cluster, "1");
    v1::ListJobsRequest list;
    list.set_cluster(cluster);
    v1::ListJobsResponse jobs;
    EXPECT_TRUE(CallWithin(kAtOnce, PriorityStub(service_), &v1::PriorityService::Stub::ListJobs,
                           list, &jobs)
                    .ok());
    EXPECT_EQ(jobs.jobs_size(), 1);
  }
  lock.Release();
  const grpc::Status updated = update.get();
  EXPECT_TRUE(updated.ok() || DetailsOf(updated).reason == "DATABASE_LOCKED");
  EXPECT_TRUE(Update("d", "2", absl::Minutes(1)).ok());
  EXPECT_EQ(RankAtOnce("d").ranked_size(), 2);
}

TEST_F(HeldLocksTest, ALockedQueueDelaysNoUpdateOfAnother) {
  ASSERT_TRUE(Update("d", "1", kAtOnce).ok());
  HeldLock lock(service_.database_url(),
                "SELECT * FROM priorityd.job_queue WHERE cluster_id = "
                "(SELECT id FROM priorityd.cluster WHERE name = 'd') FOR UPDATE");
  std::vector<std::future<grpc::Status>> waiting;
  for (int i = 0; i < 12; ++i) {
    waiting.push_back(std::async(
        std::launch::async, [this, i] { return Update("d", absl::StrCat(i), absl::Minutes(2)); }));
  }
  lock.AwaitWaiters();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Update("c", absl::StrCat(i), kAtOnce).ok());
  lock.Release();
  for (auto& update : waiting) update.wait();
}

TEST_F(HeldLocksTest, ManyLockedQueuesHoldUpNoUpdateOfAnother) {
  constexpr int kLocked = 8;  // More than threads that update.
  for (int i = 0; i < kLocked; ++i) {
    v1::ImportRequest site = SmallSite();
    site.set_cluster(absl::StrCat("e", i));
    Import(service_, site);
    ASSERT_TRUE(Update(site.cluster(), "1", kAtOnce).ok());
  }
  ASSERT_TRUE(Update("c", "1", kAtOnce).ok());
  HeldLock lock(service_.database_url(),
                "SELECT * FROM priorityd.job_queue q JOIN priorityd.cluster c "
                "ON c.id = q.cluster_id WHERE c.name LIKE 'e%' FOR UPDATE OF q");
  std::vector<std::future<grpc::Status>> waiting;
  for (int i = 0; i < 3 * kLocked; ++i) {
    waiting.push_back(std::async(std::launch::async, [this, i] {
      return Update(absl::StrCat("e", i % kLocked), absl::StrCat("more", i), absl::Minutes(2));
    }));
  }
  lock.AwaitWaiters(2);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(UpdatesSoon("c", absl::StrCat(i)));
  lock.Release();
  for (auto& update : waiting) {
    const grpc::Status status = update.get();
    EXPECT_TRUE(status.ok() || DetailsOf(status).reason == "DATABASE_LOCKED");
  }
}

TEST_F(HeldLocksTest, AnUpdateThatWaitsTooLongGetsTheReason) {
  HeldLock lock(service_.database_url(),
                "INSERT INTO priorityd.job_queue (cluster_id) SELECT id FROM priorityd.cluster "
                "ON CONFLICT DO NOTHING; SELECT * FROM priorityd.job_queue FOR UPDATE");
  const grpc::Status status = Update("d", "1", absl::Minutes(1));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(DetailsOf(status).reason, "DATABASE_LOCKED");
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
}

TEST_F(HeldLocksTest, AnUpdateWaitsNoLongerBecauseTheHostsClockStepsBack) {
  HeldLock lock(service_.database_url(),
                "INSERT INTO priorityd.job_queue (cluster_id) SELECT id FROM priorityd.cluster "
                "ON CONFLICT DO NOTHING; SELECT * FROM priorityd.job_queue FOR UPDATE");
  auto waiting =
      std::async(std::launch::async, [this] { return Update("d", "1", absl::Minutes(1)); });
  lock.AwaitWaiters();
  SteppedClock clock;
  clock.Step(-absl::Hours(1));
  EXPECT_EQ(DetailsOf(waiting.get()).reason, "DATABASE_LOCKED");
}

TEST_F(HeldLocksTest, ANewQosThatNobodyUsedReadsNoLedger) {
  ASSERT_TRUE(Record("d", "r").ok());
  HeldLock lock(service_.database_url(),
                "LOCK TABLE priorityd.usage_record IN ACCESS EXCLUSIVE MODE");
  const grpc::Status status = ImportQos("eternal|NoDecay\n", kAtOnce);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(HeldLocksTest, AnImportReadsTheLedgerWhileUsageIsRecorded) {
  ASSERT_TRUE(Record("d", "r", "double").ok());
  // There are buckets to be read, which a record needs not.
  Execute("UPDATE priorityd.cluster SET ledger_horizon = '2020-01-01T00:00:00Z'");
  HeldLock lock(service_.database_url(),
                "LOCK TABLE priorityd.usage_bucket IN ACCESS EXCLUSIVE MODE");
  std::future<grpc::Status> import = std::async(
      std::launch::async, [this] { return ImportQos("double|NoDecay\n", absl::Minutes(1)); });
  lock.AwaitWaiters();
  const grpc::Status status = Record("d", "s", "double");
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(IsReady(import));
  lock.Release();
  const grpc::Status imported = import.get();
  EXPECT_TRUE(imported.ok()) << imported.error_message();
  EXPECT_EQ(WrongRows("d"), 0);
}

TEST_F(HeldLocksTest, AnExplanationThatCannotReadThePolicyDelaysNoCallAndIsGiven) {
  for (const char* cluster : {"c", "d"}) ASSERT_TRUE(Update(cluster, "1", kAtOnce).ok());
  HeldLock lock(service_.database_url(),
                "LOCK TABLE priorityd.policy_version IN ACCESS EXCLUSIVE MODE");
  for (int round = 0; round < 3; ++round) {
    for (const char* cluster : {"c", "d"}) {
      EXPECT_FALSE(ExplainAtOnce(cluster, "1").has_planned_start());
      EXPECT_EQ(RankAtOnce(cluster).ranked_size(), 1);
    }
  }
}

TEST_F(HeldLocksTest, AReadOfHistoryDelaysNoPlan) {
  HeldLock lock(service_.database_url(),
                "LOCK TABLE priorityd.factor_sample, priorityd.factor_history "
                "IN ACCESS EXCLUSIVE MODE");
  std::vector<std::future<grpc::Status>> histories;
  for (int i = 0; i < 4; ++i) histories.push_back(HistoryMeanwhile());
  lock.AwaitWaiters(2);
  v1::PlanStartsRequest plan;
  plan.set_cluster("c");
  plan.mutable_tracked();
  v1::NodeType& nodes = *plan.mutable_description()->add_node_types();
  nodes.set_name("n");
  nodes.set_hosts("n1");
  (*nodes.mutable_tres())["cpu"] = 4;
  v1::PlanStartsResponse starts;
  const grpc::Status planned = CallWithin(kAtOnce, PriorityStub(service_),
                                          &v1::PriorityService::Stub::PlanStarts, plan, &starts);
  EXPECT_TRUE(planned.ok()) << planned.error_message();
  lock.Release();
  for (auto& history : histories) EXPECT_TRUE(history.get().ok());
}

TEST_F(HeldLocksTest, AReadOfHistoryDelaysNoRecord) {
  constexpr int kCalls = 8;  // More than threads that price usage.
  HeldLock lock(service_.database_url(),
                "LOCK TABLE priorityd.factor_sample, priorityd.factor_history "
                "IN ACCESS EXCLUSIVE MODE");
  std::vector<std::future<grpc::Status>> histories;
  for (int i = 0; i < kCalls; ++i) histories.push_back(HistoryMeanwhile());
  lock.AwaitWaiters(2);
  const grpc::Status status = Record("c", "r");
  EXPECT_TRUE(status.ok()) << status.error_message();
  lock.Release();
  for (auto& history : histories) EXPECT_TRUE(history.get().ok());
}

}  // namespace
}  // namespace priorityd::rpc
