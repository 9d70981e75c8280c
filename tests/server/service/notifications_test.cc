// What replicas read when one of many clusters changes, by the statements that PostgreSQL logs.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/recalculation/recalculation_loop.h"
#include "tests/await.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/statement_log.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

// What reads every cluster, and one.
constexpr char kAllStandings[] = "s ON true ORDER BY c.id";
constexpr char kSomeStandings[] = "s ON true WHERE c.name = ANY";
constexpr char kAllQueues[] = "LEFT JOIN priorityd.job_queue q";
constexpr int kTimes = 40;
// Each replica reads everything so often, whatever notifications it gets.
constexpr absl::Duration kPoll = absl::Seconds(2);

class NotificationsTest : public ::testing::Test {
 protected:
  NotificationsTest() : log_(url_) {
    leader_ = Replica();
    for (const char* cluster : {"c", "d", "e"}) {
      v1::ImportRequest site = SmallSite();
      site.set_cluster(cluster);
      Import(*leader_, site);
    }
    follower_ = Replica();
    EXPECT_TRUE(leader_->loop().leads());
    begin_ = absl::Now();
    log_.Clear();
  }

  std::unique_ptr<TestService> Replica() const {
    return std::make_unique<TestService>(TestService::Options{.database_url = url_, .limits = {}});
  }

  static int64_t Generation(TestService& service, const std::string& cluster) {
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    return ListShares(service, request).snapshot().generation();
  }

  // What both replicas read of it by the clock alone.
  int Polls() const { return 2 * (2 + static_cast<int>((absl::Now() - begin_) / kPoll)); }

  const std::string url_ = storage::NewTestDatabase();
  storage::StatementLog log_;
  std::unique_ptr<TestService> leader_, follower_;
  absl::Time begin_;
};

TEST_F(NotificationsTest, APublicationMakesReplicasReadItsClusterOnly) {
  v1::RecalculateRequest request;
  request.set_cluster("d");
  for (int i = 0; i < kTimes; ++i) {
    const int64_t generation = Recalculate(*leader_, request).generation();
    ASSERT_TRUE(Await([&] { return Generation(*follower_, "d") >= generation; }));
  }
  EXPECT_LE(log_.Count(kAllStandings), Polls());
  EXPECT_LE(log_.Count(kAllQueues), Polls());
  // A poll may come first.
  EXPECT_GE(log_.Count(kSomeStandings) + Polls(), kTimes);
}

TEST_F(NotificationsTest, AChangeOfAQueueMakesReplicasReadThatOneOnly) {
  for (int i = 0; i < kTimes; ++i) {
    v1::UpdateJobsRequest request;
    request.set_cluster("d");
    request.set_source("test");
    v1::Job& job = *request.add_upserts();
    job.set_job_id(absl::StrCat(i));
    job.set_user("amy");
    job.set_account("a");
    *job.mutable_submit_time() = ToTimestamp(TestEpoch());
    UpdateJobs(*leader_, request);
    v1::ListJobsRequest jobs;
    jobs.set_cluster("d");
    ASSERT_TRUE(Await([&] { return ListJobs(*follower_, jobs).jobs_size() == i + 1; }));
  }
  EXPECT_LE(log_.Count(kAllStandings), Polls());
  EXPECT_LE(log_.Count(kAllQueues), Polls());
}

TEST_F(NotificationsTest, ANewPolicyMakesReplicasReadItsClusterOnly) {
  for (int i = 0; i < kTimes; ++i) {
    v1::ApplyPolicyRequest request;
    request.set_cluster("d");
    request.set_text(
        absl::StrCat("PriorityType=priority/multifactor\nPriorityWeightAge=", i + 1, "\n"));
    ApplyPolicy(*leader_, request);
  }
  EXPECT_LE(log_.Count(kAllStandings), Polls());
  EXPECT_GE(log_.Count(kSomeStandings), 1);
}

TEST_F(NotificationsTest, ARecordMakesReplicasReadNothing) {
  for (int i = 0; i < kTimes; ++i) {
    v1::RecordUsageRequest request;
    request.set_cluster("d");
    *request.add_records() =
        Usage(absl::StrCat(i), TestEpoch() - absl::Hours(1), absl::Hours(1), 4);
    EXPECT_EQ(RecordUsage(*leader_, request).accepted(), 1);
  }
  EXPECT_LE(log_.Count(kAllStandings), Polls());
  // On a busy host the last imports may be read of only now.
  EXPECT_LT(log_.Count(kSomeStandings), kTimes / 2);
}

}  // namespace
}  // namespace priorityd::rpc
