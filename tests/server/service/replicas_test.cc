// Several priorityd on one database.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "server/recalculation/recalculation_loop.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::google::protobuf::util::MessageDifferencer;

int64_t Generation(TestService& service) {
  grpc::Status status;
  return ListShares(service, {}, &status).snapshot().generation();
}

v1::ImportRequest SiteWithUsage(const std::string& policy = "") {
  v1::ImportRequest site = SmallSite(policy);
  AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||100\nb|cat||33.3\n", &site);
  return site;
}

v1::ImportRequest Limits() {
  v1::ImportRequest limits;
  AddFile(v1::FILE_KIND_QOS, "limits",
          "Name|Priority|UsageFactor|GrpTRESMins|Flags\nlean|0|1|cpu=200|NoDecay\n", &limits);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "more",
          "Cluster - 'c':Fairshare=1:QOS='normal,double,lean'\nParent - 'root'\n"
          "Account - 'a':Fairshare=1:GrpTRESMins=billing=120\n",
          &limits);
  return limits;
}

void Record(TestService& service, const std::string& id, double cpus) {
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage(id, TestEpoch() - absl::Hours(2), absl::Seconds(3601), cpus);
  EXPECT_EQ(RecordUsage(service, usage).accepted(), 1);
}

// Soon: a replica that does not lead follows.
void ExpectSameShares(TestService& a, TestService& b) {
  v1::ListSharesResponse first, second;
  EXPECT_TRUE(Await([&] {
    first = ListShares(a);
    second = ListShares(b);
    return MessageDifferencer::Equals(first, second);
  })) << first.DebugString()
      << "\nagainst\n"
      << second.DebugString();
}

std::unique_ptr<TestService> ReplicaOf(TestService& service) {
  return std::make_unique<TestService>(
      TestService::Options{.database_url = service.database_url(), .limits = {}});
}

v1::RecalculateRequest RecalculationAt(absl::Time time) {
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToTimestamp(time);
  return request;
}

// Every algorithm, since each keeps other numbers.
class ReplicasTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Algorithms, ReplicasTest,
                         ::testing::Values("fair_tree", "classic", "depth_oblivious", "linear"));

TEST_P(ReplicasTest, EveryReplicaAnswersWithTheSameNumbers) {
  TestService leader;
  Import(leader, SiteWithUsage(std::string("FairShareAlgorithm=") + GetParam() + "\n"));
  Record(leader, "r", 1.0 / 3);
  auto second = ReplicaOf(leader);
  auto third = ReplicaOf(leader);
  EXPECT_TRUE(leader.loop().leads());
  EXPECT_FALSE(second->loop().leads());
  // Its clock must not matter.
  second->SetNow(TestEpoch() + absl::Hours(100));
  ExpectSameShares(leader, *second);
  Recalculate(leader);
  for (TestService* replica : {second.get(), third.get()}) {
    ASSERT_TRUE(Await([&] { return Generation(*replica) == 2; }));
    ExpectSameShares(leader, *replica);
  }
  EXPECT_GT(ShareOf(ListShares(*third), "a", "amy").raw_usage(), 1000);
}

// What keeps jobs back besides fair-share: limits on associations and QOS, what
// running jobs may still use, and decay until as_of.
TEST(ReplicasTest, LimitsOnUsageHoldOnEveryReplica) {
  TestService leader;
  Import(leader, SmallSite("PriorityDecayHalfLife=1:0:0\nAccountingStorageEnforce=limits,safe\n"));
  Import(leader, Limits());
  v1::RecordUsageRequest usage;
  for (const char* job : {"running", "done"}) {
    v1::UsageRecord* record = usage.add_records();
    *record = Usage(job, TestEpoch() - absl::Hours(1), absl::Minutes(30), 1.0 / 3);
    record->set_job_id(job);
    record->set_qos("lean");
  }
  EXPECT_EQ(RecordUsage(leader, usage).accepted(), 2);
  Recalculate(leader);
  auto follower = ReplicaOf(leader);

  v1::RankJobsRequest jobs;
  *jobs.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Minutes(20));
  auto add = [&](const std::string& id, int minutes) {
    v1::Job* job = jobs.mutable_jobs()->add_jobs();
    job->set_job_id(id);
    job->set_user("amy");
    job->set_account("a");
    job->add_qos("lean");
    job->set_cpus(1);
    job->mutable_time_limit()->set_seconds(60 * minutes);
    return job;
  };
  v1::Job* running = add("running", 60);
  running->set_state(v1::JOB_STATE_RUNNING);
  *running->mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(1));
  for (int minutes : {1, 30, 60, 100, 1000}) add(absl::StrCat("job", minutes), minutes);
  const v1::RankJobsResponse here = RankJobs(leader, jobs), there = RankJobs(*follower, jobs);
  EXPECT_GT(here.ineligible_size(), 1);
  EXPECT_GT(here.ranked_size(), 1);
  EXPECT_TRUE(MessageDifferencer::Equals(here, there)) << here.DebugString() << "\nagainst\n"
                                                       << there.DebugString();
}

// What would reverse the order is computed from usage that is not rolled up.
TEST_P(ReplicasTest, AComparisonIsTheSameOnEveryReplica) {
  TestService leader;
  Import(leader, SiteWithUsage(std::string("PriorityWeightFairshare=1000\nFairShareAlgorithm=") +
                               GetParam() + "\n"));
  auto follower = ReplicaOf(leader);
  v1::ExplainPriorityRequest request;
  *request.mutable_as_of() = ToTimestamp(TestEpoch());
  for (const char* user : {"amy", "cat"}) {
    v1::Job* job = request.mutable_jobs()->add_jobs();
    job->set_job_id(user);
    job->set_user(user);
  }
  request.set_job_id("amy");
  request.mutable_compare_to()->set_job_id("cat");
  auto explain = [&](TestService& service) {
    v1::ExplainPriorityResponse response;
    const grpc::Status status = CallUnary(service, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  const v1::ExplainPriorityResponse here = explain(leader), there = explain(*follower);
  EXPECT_TRUE(here.has_comparison());
  EXPECT_TRUE(MessageDifferencer::Equals(here, there)) << here.DebugString() << "\nagainst\n"
                                                       << there.DebugString();
}

TEST(ReplicasTest, AFollowerHasTheLeaderRecalculate) {
  TestService leader;
  Import(leader, SmallSite());
  auto follower = ReplicaOf(leader);
  EXPECT_EQ(Recalculate(*follower).generation(), 2);
  EXPECT_EQ(Generation(*follower), 2);
  ExpectSameShares(leader, *follower);
}

TEST(ReplicasTest, TheLeadersRefusalComesThroughWithItsReason) {
  TestService leader;
  Import(leader, SmallSite());
  auto follower = ReplicaOf(leader);
  grpc::Status status;
  Recalculate(*follower, RecalculationAt(TestEpoch()), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "CLOCK_IS_REAL");
}

TEST(ReplicasTest, ANewClusterThatAFollowerImportsIsServedByAll) {
  TestService leader;
  auto follower = ReplicaOf(leader);
  EXPECT_TRUE(Import(*follower, SiteWithUsage()).has_takes_effect_at());
  EXPECT_EQ(Generation(*follower), 1);
  ASSERT_TRUE(Await([&] { return Generation(leader) == 1; }));
  ExpectSameShares(leader, *follower);
  ASSERT_TRUE(Await([&] { return leader.loop().DueAt("c").has_value(); }));
  EXPECT_EQ(follower->loop().DueAt("c"), std::nullopt);
}

TEST(ReplicasTest, ALeaderThatStopsIsFollowedWithoutAGap) {
  auto leader = std::make_unique<TestService>();
  Import(*leader, SiteWithUsage("PriorityCalcPeriod=1\n"));
  auto follower = ReplicaOf(*leader);
  leader.reset();
  ASSERT_TRUE(Await([&] { return follower->loop().leads(); }));
  EXPECT_EQ(Generation(*follower), 1);
  ASSERT_TRUE(Await([&] { return follower->loop().DueAt("c").has_value(); }));
  EXPECT_EQ(follower->loop().DueAt("c"), TestEpoch() + absl::Minutes(1));
  follower->SetNow(TestEpoch() + absl::Minutes(1));
  EXPECT_TRUE(Await([&] { return Generation(*follower) == 2; }));
}

TEST(ReplicasTest, ALeaderThatLosesItsConnectionsIsFollowedOrLeadsAgain) {
  TestService leader;
  Import(leader, SiteWithUsage());
  auto follower = ReplicaOf(leader);
  const absl::Status cut = follower->database().Write([&](storage::Transaction& transaction) {
    return transaction
        .Execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
            {leader.database().options().application_name})
        .status();
  });
  ASSERT_TRUE(cut.ok()) << cut;
  // Calls on a connection that was cut fail, and are retried.
  EXPECT_TRUE(Await([&] {
    grpc::Status status;
    return Recalculate(leader, {}, &status).generation() >= 2;
  }));
  EXPECT_TRUE(Await([&] { return leader.loop().leads() != follower->loop().leads(); }));
  // One whose answer was lost was made too.
  ASSERT_TRUE(Await([&] { return Generation(*follower) >= 2; }));
  ExpectSameShares(leader, *follower);
}

TEST(ReplicasTest, ANewLeaderDoesNotPublishThePeriodOfTheOldOne) {
  auto leader = std::make_unique<TestService>();
  Import(*leader, SmallSite("PriorityCalcPeriod=1\n"));
  auto follower = ReplicaOf(*leader);
  leader->SetNow(TestEpoch() + absl::Minutes(1));
  follower->SetNow(TestEpoch() + absl::Minutes(1));
  ASSERT_TRUE(Await([&] { return Generation(*leader) == 2; }));
  leader.reset();
  ASSERT_TRUE(Await([&] { return follower->loop().DueAt("c").has_value(); }));
  EXPECT_EQ(follower->loop().DueAt("c"), TestEpoch() + absl::Minutes(2));
  EXPECT_EQ(Generation(*follower), 2);
}

TEST(ReplicasTest, WhatChangedSinceTheSnapshotWaitsForTheNextOneInEveryReplica) {
  TestService leader;
  Import(leader, SmallSite("Clock=manual\n"));
  Recalculate(leader, RecalculationAt(TestEpoch()));
  Import(leader, SiteWithUsage("Clock=manual\n"));
  Recalculate(leader);
  const v1::ListSharesResponse before = ListShares(leader);
  v1::ImportRequest change;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'z':Fairshare=77\n"
          "Account - 'a':Fairshare=9\n",
          &change);
  Import(leader, change);
  Record(leader, "late", 100);
  auto restarted = ReplicaOf(leader);
  EXPECT_TRUE(MessageDifferencer::Equals(ListShares(*restarted), before));
  Recalculate(*restarted);
  EXPECT_EQ(ShareOf(ListShares(*restarted), "z").raw_shares(), 77u);
  ASSERT_TRUE(Await([&] { return Generation(leader) == 3; }));
  ExpectSameShares(leader, *restarted);
}

TEST(ReplicasTest, OnlyChangedUsageIsReadAndNoneIsMissed) {
  TestService leader;
  Import(leader, SiteWithUsage());
  for (int i = 0; i < 5; ++i) {
    Record(leader, std::to_string(i), i + 0.1);
    Recalculate(leader);
  }
  const double incremental = ShareOf(ListShares(leader), "a", "amy").raw_usage();
  auto fresh = std::make_unique<TestService>(
      TestService::Options{.database_url = leader.database_url(), .limits = {}});
  EXPECT_EQ(ShareOf(ListShares(*fresh), "a", "amy").raw_usage(), incremental);
  // With the same clock a leader that knows nothing yet computes the same.
  recalculation::Recalculator anew(&leader.database(), {});
  auto snapshot = anew.Recalculate("c", {.now = leader.now()}, 1);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const priority::AssociationIndex amy = (*snapshot)->tree().FindUser("a", "amy", "");
  EXPECT_EQ((*snapshot)->fair_share().usage[amy], incremental);
}

TEST(ReplicasTest, AnotherEpochCannotPublish) {
  TestService leader;
  Import(leader, SmallSite());
  recalculation::Recalculator stale(&leader.database(), {});
  const absl::Status status = stale.Recalculate("c", {.now = leader.now()}, 0).status();
  EXPECT_TRUE(recalculation::IsNotLeader(status)) << status;
  EXPECT_EQ(Recalculate(leader).generation(), 2);
}

}  // namespace
}  // namespace priorityd::rpc
