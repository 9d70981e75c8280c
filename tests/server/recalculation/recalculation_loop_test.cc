// The loop on a real database: order, notifications, leader and follower.
#include "server/recalculation/recalculation_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/errors/error_details.h"
#include "server/recalculation/schedule.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/snapshots/replica_session.h"
#include "tests/server/recalculation/loop_case.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/statement_log.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

TEST_F(RecalculationLoopTest, TheClusterThatIsDueTheLongestIsRecalculatedFirst) {
  ImportCluster("a", 10);
  ImportCluster("b", 5);
  absl::Mutex mutex;
  std::vector<std::string> order;
  LoopOptions options;
  options.leadership = kLeadsOn;
  options.threads = 1;
  options.on_recalculated = [&](const SnapshotPtr& snapshot) {
    absl::MutexLock lock(&mutex);
    order.push_back(snapshot->cluster().name);
  };
  RecalculationLoop loop(&database_, &registry_, Clocks(), options);
  ASSERT_TRUE(loop.Start().ok());
  ASSERT_EQ(loop.DueAt("a"), kLoopStart + absl::Minutes(10));
  ASSERT_EQ(loop.DueAt("b"), kLoopStart + absl::Minutes(5));
  SetNow(kLoopStart + absl::Minutes(20));
  loop.CheckClock();
  const auto is_done = [&] { return order.size() == 4; };
  absl::MutexLock lock(&mutex);
  ASSERT_TRUE(mutex.AwaitWithTimeout(absl::Condition(&is_done), absl::Minutes(1)));
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "b", "a"}));
}

storage::Lease LeaseOfRoot(absl::Time begin, absl::Time end) {
  return {.kind = "association",
          .account = "root",
          .user_name = "",
          .partition = "",
          .qos = "",
          .object = "account root",
          .setting_names = {"MaxJobs"},
          .setting_operators = {"="},
          .setting_values = {"7"},
          .begin_time = begin,
          .end_time = end,
          .created_by = "test",
          .comment = ""};
}

TEST_F(RecalculationLoopTest, ALeaseBeginsAndEndsAtItsTimesBetweenTwoPeriodsAlsoAfterAFailover) {
  ImportCluster("a", 5);
  std::optional<RecalculationLoop> loop;
  loop.emplace(&database_, &registry_, Clocks(), LoopOptions{.leadership = kLeadsOn});
  ASSERT_TRUE(loop->Start().ok());
  const absl::Time begin = kLoopStart + absl::Seconds(61);
  const absl::Time end = kLoopStart + absl::Seconds(123);
  const storage::Lease lease = LeaseOfRoot(begin, end);
  ASSERT_TRUE(
      database_
          .Write([&](storage::Transaction& transaction) -> absl::Status {
            const auto cluster = storage::ClusterStore(transaction).Find("a");
            if (!cluster.ok()) return cluster.status();
            return storage::LeaseStore(transaction).Insert((*cluster)->id, {&lease, 1}).status();
          })
          .ok());
  ASSERT_TRUE(loop->RecalculateNow("a").ok());
  // The next leader was not there when the lease was read.
  loop.emplace(&database_, &registry_, Clocks(), LoopOptions{.leadership = kLeadsOn});
  ASSERT_TRUE(loop->Start().ok());
  int64_t generation = 2;
  for (const absl::Time due : {begin, end, kLoopStart + absl::Minutes(5)}) {
    EXPECT_EQ(loop->DueAt("a"), due);
    SetNow(due);
    loop->CheckClock();
    ASSERT_TRUE(registry_.AwaitGeneration("a", ++generation, absl::Minutes(1)).ok());
    EXPECT_EQ(registry_.Find("a").value()->computed_at(), due);
    // The due time follows the publication of the snapshot.
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (loop->DueAt("a") <= due && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(1));
  }
}

TEST_F(RecalculationLoopTest, WhatADomainPublishedIsTakenByItsMembersAtOnceAlsoAfterAFailover) {
  ImportCluster("site", 60);
  ImportCluster("member", 60);
  std::optional<RecalculationLoop> loop;
  loop.emplace(&database_, &registry_, Clocks(), LoopOptions{.leadership = kLeadsOn});
  ASSERT_TRUE(loop->Start().ok());
  ASSERT_TRUE(database_
                  .Write([](storage::Transaction& transaction) -> absl::Status {
                    storage::ClusterStore clusters(transaction);
                    const auto site = clusters.Find("site"), member = clusters.Find("member");
                    if (!site.ok() || !member.ok()) return absl::InternalError("no clusters");
                    return storage::DomainStore(transaction)
                        .Put({.cluster_id = (*member)->id, .domain_id = (*site)->id});
                  })
                  .ok());
  ASSERT_TRUE(loop->RecalculateNow("site").ok());
  // The member waits for this second, and its leader ends.
  const absl::Time due = kLoopStart + Schedule::kBetweenHastened;
  loop.emplace(&database_, &registry_, Clocks(), LoopOptions{.leadership = kLeadsOn});
  ASSERT_TRUE(loop->Start().ok());
  EXPECT_EQ(loop->DueAt("member"), due);
  SetNow(due);
  loop->CheckClock();
  ASSERT_TRUE(registry_.AwaitGeneration("member", 2, absl::Minutes(1)).ok());
  loop.emplace(&database_, &registry_, Clocks(), LoopOptions{.leadership = kLeadsOn});
  ASSERT_TRUE(loop->Start().ok());
  EXPECT_EQ(loop->DueAt("member"), due + absl::Hours(1)) << "it has what the domain published";
}

class ReportedRecalculations : public RecalculationObserver {
 public:
  void Recalculated(const RecalculationReport& report) override {
    absl::MutexLock lock(&mutex_);
    reports_.push_back(report);
  }
  // The first ones, once there are so many.
  std::vector<RecalculationReport> Await(size_t count) {
    const auto is_done = [&] { return reports_.size() >= count; };
    absl::MutexLock lock(&mutex_);
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&is_done), absl::Minutes(1)));
    return reports_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<RecalculationReport> reports_;
};

TEST_F(RecalculationLoopTest, EachRecalculationIsReportedWithItsStagesAndLag) {
  ImportCluster("a", 5);
  ReportedRecalculations reported;
  LoopOptions options;
  options.leadership = kLeadsOn;
  options.observers = {&reported};
  RecalculationLoop loop(&database_, &registry_, Clocks(), options);
  ASSERT_TRUE(loop.Start().ok());
  SetNow(kLoopStart + absl::Minutes(5) + absl::Seconds(7));
  loop.CheckClock();
  const std::vector<RecalculationReport> reports = reported.Await(2);
  const RecalculationReport& first = reports[0];
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_TRUE(first.on_demand);
  EXPECT_EQ(first.lag, absl::ZeroDuration());
  EXPECT_TRUE(first.stages.configuration_changed);
  const RecalculationReport& due = reports[1];
  ASSERT_NE(due.snapshot, nullptr);
  EXPECT_EQ(due.cluster, "a");
  EXPECT_EQ(due.snapshot->generation(), 2);
  EXPECT_FALSE(due.on_demand);
  EXPECT_EQ(due.lag, absl::Seconds(7));
  for (const absl::Duration stage : {due.stages.read, due.stages.compute, due.stages.publish}) {
    EXPECT_GT(stage, absl::ZeroDuration());
  }
  SetNow(kLoopStart + absl::Minutes(10));
  loop.CheckClock();
  EXPECT_FALSE(reported.Await(3)[2].stages.configuration_changed);
  EXPECT_FALSE(loop.RecalculateNow("a", kLoopStart).ok());
  EXPECT_EQ(reported.Await(4)[3].status.code(), absl::StatusCode::kFailedPrecondition);
}

// What psql can do to a cluster.
constexpr char kLockA[] =
    "SELECT FROM priorityd.publication WHERE cluster_id = "
    "(SELECT id FROM priorityd.cluster WHERE name = 'a') FOR UPDATE";

TEST_F(RecalculationLoopTest, ALockedClusterDelaysNoOther) {
  for (const char* name : {"a", "b", "c"}) ImportCluster(name, 5);
  RecalculationLoop loop(&database_, &registry_, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(loop.Start().ok());
  storage::HeldLock lock(database_.options().url, kLockA);
  SetNow(kLoopStart + absl::Minutes(5));
  loop.CheckClock();  // All of them are due, a first by its name.
  for (const char* name : {"b", "c"}) {
    ASSERT_TRUE(registry_.AwaitGeneration(name, 2, absl::Minutes(1)).ok());
    EXPECT_EQ(loop.RecalculateNow(name).value()->generation(), 3);
  }
  // That of a, which was not given up meanwhile.
  lock.AwaitWaiters();
  EXPECT_EQ(registry_.Find("a").value()->generation(), 1);
  lock.Release();
  EXPECT_TRUE(registry_.AwaitGeneration("a", 2, absl::Minutes(1)).ok());
}

TEST_F(RecalculationLoopTest, ADemandForALockedClusterDelaysNoOther) {
  for (const char* name : {"a", "b"}) ImportCluster(name, 5);
  RecalculationLoop loop(&database_, &registry_, Clocks(), {.leadership = kLeadsOn, .threads = 2});
  ASSERT_TRUE(loop.Start().ok());
  storage::HeldLock lock(database_.options().url, kLockA);
  // Each gives up after a while, one after the other.
  constexpr int kAskers = 12;
  std::atomic<int> answered = 0;
  std::vector<std::thread> askers;
  for (int i = 0; i < kAskers; ++i) {
    askers.emplace_back([&] {
      loop.RecalculateNow("a").status().IgnoreError();
      ++answered;
    });
  }
  lock.AwaitWaiters();
  EXPECT_EQ(loop.RecalculateNow("b").value()->generation(), 2);
  EXPECT_LT(answered, kAskers);
  EXPECT_EQ(registry_.Find("a").value()->generation(), 1);
  lock.Release();
  for (std::thread& asker : askers) asker.join();
}

TEST_F(RecalculationLoopTest, ClustersRecalculatedSideBySideEachGoThroughTheirGenerations) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  for (const std::string& name : names) ImportCluster(name, 5);
  RecalculationLoop loop(&database_, &registry_, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(loop.Start().ok());
  constexpr int kRounds = 5;
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(loop.RecalculateNow(names[i % names.size()]).ok());
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  for (const std::string& name : names) {
    EXPECT_EQ(registry_.Find(name).value()->generation(), 1 + 2 * kRounds) << name;
  }
}

TEST_F(RecalculationLoopTest, NoRecalculationIsForALaterTimeThanTheDatabases) {
  ImportCluster("c", 5);
  // As an estimate that is off by so much.
  SetNow(absl::Now() + absl::Hours(1));
  RecalculationLoop loop(&database_, &registry_, Clocks(),
                         {.leadership = kLeadsOn, .by_database = true});
  ASSERT_TRUE(loop.Start().ok());
  const absl::Time last = loop.RecalculateNow("c").value()->computed_at();
  EXPECT_LE(last, absl::Now());
  // One that is behind stays what it is.
  SetNow(last - absl::Hours(1));
  EXPECT_EQ(loop.RecalculateNow("c").value()->computed_at(), last);
}

TEST_F(RecalculationLoopTest, APublicationMakesAReplicaReadItsClusterOnly) {
  for (const char* name : {"a", "b", "c"}) ImportCluster(name, 5);
  storage::StatementLog log(database_.options().url);
  database_.StartOver();  // Sessions that are logged.
  RecalculationLoop leader(&database_, &registry_, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(leader.Start().ok());
  storage::Database database({.url = database_.options().url});
  SnapshotRegistry registry(absl::Now);
  RecalculationLoop follower(&database, &registry, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(follower.Start().ok());
  const absl::Time begin = absl::Now();
  log.Clear();
  constexpr int kTimes = 50;
  for (int i = 0; i < kTimes; ++i) {
    const int64_t generation = leader.RecalculateNow("b").value()->generation();
    ASSERT_TRUE(registry.AwaitGeneration("b", generation, absl::Minutes(1)).ok());
  }
  // Both read everything every 2 seconds, in case a notification is lost.
  const int polls = 2 * (2 + static_cast<int>((absl::Now() - begin) / absl::Seconds(2)));
  EXPECT_LE(log.Count("s ON true ORDER BY c.id"), polls);
  // Such a read may come before the notification.
  EXPECT_GE(log.Count("s ON true WHERE c.name = ANY"), kTimes - polls);
}

TEST_F(RecalculationLoopTest, AChangeWithoutANotificationIsFound) {
  ImportCluster("c", 5);
  RecalculationLoop loop(&database_, &registry_, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(loop.Start().ok());
  // Without triggers there is no notification.
  ASSERT_TRUE(database_
                  .Write([](storage::Transaction& transaction) {
                    return transaction.ExecuteScript(
                        "SET LOCAL session_replication_role = replica; "
                        "INSERT INTO priorityd.cluster (name) VALUES ('d')");
                  })
                  .ok());
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!registry_.Resolve("d").ok() && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_TRUE(registry_.Resolve("d").ok());
}

TEST_F(RecalculationLoopTest, NotificationsWithoutEndHoldNoRecalculationUp) {
  ImportCluster("c", 5);
  auto listener = storage::ReplicaSession::Open(database_).value();
  constexpr int kFew = 20;
  constexpr int kMany = 200;
  std::latch begun(1);
  std::atomic<bool> asked = false;
  std::atomic<int> meanwhile = 0;
  // Whenever the loop has handled a notification there are more: they have reached it
  // too when they have reached the listener, many times over.
  const auto notify = [&](const ClusterNames&) {
    if (asked && registry_.Find("c").value()->generation() == 1) ++meanwhile;
    for (int i = 0; i < 50 && meanwhile < kMany; ++i) {
      EXPECT_TRUE(database_.Write(storage::NotifyReplicas).ok());
      EXPECT_TRUE(listener->AwaitNotification(absl::Minutes(1)).value());
    }
    if (!begun.try_wait()) begun.count_down();
  };
  RecalculationLoop loop(&database_, &registry_, Clocks(),
                         {.leadership = kLeadsOn, .on_notified = notify});
  ASSERT_TRUE(loop.Start().ok());
  begun.wait();
  asked = true;
  EXPECT_EQ(loop.RecalculateNow("c").value()->generation(), 2);
  EXPECT_LT(meanwhile, kFew);
}

TEST_F(RecalculationLoopTest, OnlyTheLeaderHandsItsOwnSnapshotsOver) {
  ImportCluster("c", 5);
  std::atomic<int> by_leader = 0;
  std::atomic<int> by_follower = 0;
  RecalculationLoop leader(
      &database_, &registry_, Clocks(),
      {.leadership = kLeadsOn, .on_recalculated = [&](const SnapshotPtr&) { ++by_leader; }});
  ASSERT_TRUE(leader.Start().ok());
  storage::Database database({.url = database_.options().url});
  SnapshotRegistry registry(absl::Now);
  RecalculationLoop follower(
      &database, &registry, Clocks(),
      {.leadership = kLeadsOn, .on_recalculated = [&](const SnapshotPtr&) { ++by_follower; }});
  ASSERT_TRUE(follower.Start().ok());
  EXPECT_FALSE(follower.leads());
  EXPECT_EQ(follower.RecalculateNow("c").value()->generation(), 2);
  EXPECT_EQ(registry.Find("c").value()->generation(), 2);
  EXPECT_EQ(by_leader, 2);
  EXPECT_EQ(by_follower, 0);
}

TEST_F(RecalculationLoopTest, AFollowersPatienceWithALeaderThatDoesNotAnswerEnds) {
  ImportCluster("c", 5);
  storage::Database database({.url = database_.options().url});
  // It leads, and does nothing about it.
  Leadership silent(&database, kLeadsOn, absl::Now, [](const storage::Notifications&) {});
  silent.Start();
  RecalculationLoop loop(&database_, &registry_, Clocks(),
                         {.leadership = kLeadsOn, .patience = absl::ZeroDuration()});
  ASSERT_TRUE(loop.Start().ok());
  const absl::Status status = loop.RecalculateNow("c").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(errors::ReasonOf(status), "NO_LEADER");
}

}  // namespace
}  // namespace priorityd::recalculation
