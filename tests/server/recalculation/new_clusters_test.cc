// What a loop answers and reports of clusters that are created before it has read of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "engine/errors/error_details.h"
#include "server/administration/clusters/cluster_deletion.h"
#include "storage/snapshots/replica_session.h"
#include "tests/await.h"
#include "tests/server/recalculation/loop_case.h"

namespace priorityd::recalculation {
namespace {

TEST_F(RecalculationLoopTest, AClusterThatWasCreatedAgainIsReportedAfterTheDeletionOfTheFirst) {
  ImportCluster("c", 5);
  std::atomic<bool> holds = false;
  absl::Notification held, go_on;
  absl::Mutex mutex;
  std::vector<std::string> events;
  const auto note = [&](const char* event) {
    absl::MutexLock lock(&mutex);
    events.emplace_back(event);
  };
  RecalculationLoop loop(&database_, &registry_, Clocks(),
                         {.leadership = kLeadsOn,
                          .on_notified =
                              [&](const ClusterNames&) {
                                if (!holds.exchange(false)) return;
                                held.Notify();
                                go_on.WaitForNotification();
                              },
                          .on_deleted = [&](const std::string&) { note("deleted"); },
                          .on_recalculated = [&](const SnapshotPtr&) { note("recalculated"); }});
  ASSERT_TRUE(loop.Start().ok());
  holds = true;
  EXPECT_TRUE(database_.Write(storage::NotifyReplicas).ok());
  held.WaitForNotification();
  // The loop's thread sees neither the deletion nor the second cluster before it is recalculated.
  const auto deleted = administration::DeleteCluster(
      database_, "c", /*purge=*/true, {.principal = "test", .now = now()}, [] { return true; });
  EXPECT_TRUE(deleted.ok()) << deleted.status();
  ImportCluster("c", 5);
  const auto second = loop.RecalculateNow("c");
  EXPECT_TRUE(second.ok()) << second.status();
  go_on.Notify();
  EXPECT_TRUE(Await([&] {
    absl::MutexLock lock(&mutex);
    const auto deletion = std::find(events.begin(), events.end(), "deleted");
    return std::find(deletion, events.end(), "recalculated") != events.end();
  }));
}

TEST_F(RecalculationLoopTest, WhoAsksAFollowerForAClusterThatItIsReadingIsToRetry) {
  RecalculationLoop leader(&database_, &registry_, Clocks(), {.leadership = kLeadsOn});
  ASSERT_TRUE(leader.Start().ok());
  std::atomic<bool> holds = false;
  absl::Notification held, go_on;
  storage::Database database({.url = database_.options().url});
  SnapshotRegistry registry(absl::Now);
  RecalculationLoop follower(&database, &registry, Clocks(),
                             {.leadership = kLeadsOn, .on_notified = [&](const ClusterNames&) {
                                if (!holds.exchange(false)) return;
                                held.Notify();
                                go_on.WaitForNotification();
                              }});
  ASSERT_TRUE(follower.Start().ok());
  EXPECT_EQ(errors::ReasonOf(registry.Find("").status()), "NO_CLUSTER");
  holds = true;
  EXPECT_TRUE(database_.Write(storage::NotifyReplicas).ok());
  held.WaitForNotification();
  ImportCluster("c", 5);
  EXPECT_TRUE(leader.RecalculateNow("c").ok());
  for (const char* name : {"c", ""}) {
    EXPECT_TRUE(Await([&] {
      return errors::ReasonOf(registry.Find(name).status()) == "CLUSTER_LOADING";
    })) << name;
  }
  EXPECT_TRUE(absl::IsUnavailable(registry.Find("c").status()));
  EXPECT_EQ(errors::ReasonOf(registry.Find("d").status()), "NO_CLUSTER");
  go_on.Notify();
  EXPECT_TRUE(Await([&] { return registry.Find("c").ok(); }));
}

}  // namespace
}  // namespace priorityd::recalculation
