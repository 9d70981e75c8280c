// Queues that several replicas change and read.
#include "server/queue/replication/tracked_queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/queue/replication/job_rows.h"
#include "server/queue/state/job_memory.h"
#include "server/threads/work_scope.h"
#include "storage/database/status.h"
#include "storage/jobs/job_store.h"
#include "tests/engine/priority/small_site.h"
#include "tests/server/queue/replication/stored_queue.h"
#include "tests/stepped_clock.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/lost_answers.h"
#include "tests/storage/test_database.h"

namespace priorityd::queue {
namespace {

using ::testing::StartsWith;
using Ids = std::vector<std::string>;

class TrackedQueuesTest : public testing::Test {
 protected:
  // As a replica knows it, without a look at the database.
  static Ids Known(StoredQueue& replica) { return JobIds(**replica.queues().State("small")); }

  StoredQueue here_;
  StoredQueue there_{here_.database_url()};
};

TEST_F(TrackedQueuesTest, AQueueIsLoadedWhenItIsAskedForFirst) {
  here_.Upsert({"1", "2"});
  EXPECT_EQ(Known(there_), (Ids{"1", "2"}));
}

// Its jobs take several pages, which are read over several connections.
TEST_F(TrackedQueuesTest, ALongQueueIsLoadedExactlyWhileAnotherReplicaChangesIt) {
  constexpr int kJobs = 25'000;
  Ids ids;
  for (int i = 0; i < kJobs; ++i) ids.push_back(absl::StrCat(100'000 + i));
  here_.Upsert(ids);
  here_.Upsert({ids[12'000], ids[3]});  // Their changes are the last ones now.
  std::atomic<bool> loaded = false;
  std::thread changes([&] {
    for (int i = 0; !loaded || i < 10; ++i) {
      here_.Remove(ids[i * 997 % kJobs]);
      here_.Upsert({ids[i * 991 % kJobs], absl::StrCat("new", i)});
    }
  });
  for (int i = 0; i < 5; ++i) {
    there_.queues().Forget("small");
    EXPECT_GE((**there_.queues().State("small")).jobs(), kJobs * 9 / 10);
  }
  loaded = true;
  changes.join();
  EXPECT_EQ(JobIds(**there_.queues().ReadState("small")), Known(here_));
}

TEST_F(TrackedQueuesTest, OnlyReadingShowsWhatAnotherReplicaChanged) {
  EXPECT_EQ(Known(there_), Ids());
  here_.Upsert({"1", "2"});
  here_.Remove("1");
  EXPECT_EQ(Known(there_), Ids());
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  EXPECT_EQ(Known(there_), Ids{"2"});
}

TEST_F(TrackedQueuesTest, ReadStateShowsWhatAnotherReplicaChanged) {
  EXPECT_EQ(Known(there_), Ids());
  here_.Upsert({"1"});
  EXPECT_EQ(JobIds(**there_.queues().ReadState("small")), Ids{"1"});
  EXPECT_EQ(Known(there_), Ids{"1"});
}

TEST_F(TrackedQueuesTest, AChangeBuildsOnThoseOfOtherReplicas) {
  EXPECT_EQ(Known(there_), Ids());
  here_.Upsert({"1"});
  there_.Upsert({"2"});
  EXPECT_EQ(Known(there_), (Ids{"1", "2"}));
}

TEST_F(TrackedQueuesTest, AChangeThatAnotherReplicaOvertookIsWorkedOutAgain) {
  here_.Upsert({"1"});
  EXPECT_EQ(Known(there_), Ids{"1"});
  there_.Upsert({"2"});
  there_.Remove("1");
  here_.Upsert({"1"});  // As far as it knew, nothing new.
  EXPECT_EQ(Known(here_), (Ids{"1", "2"}));
  here_.Upsert({"3"});
  there_.Upsert({"4"});
  EXPECT_EQ(Known(there_), (Ids{"1", "2", "3", "4"}));
}

TEST_F(TrackedQueuesTest, AChangeThatMetALockLeavesTheQueueAsItWas) {
  here_.Upsert({"1", "2"});
  storage::HeldLock lock(here_.database_url(), "SELECT FROM priorityd.job_queue FOR UPDATE");
  const absl::string_view removals[] = {"1"};
  const auto answer = here_.queues().Update("small", {.source = "test", .removals = removals},
                                            priority::kNow, absl::Milliseconds(50));
  EXPECT_TRUE(storage::IsLockTimeout(answer.status())) << answer.status();
  EXPECT_EQ(Known(here_), (Ids{"1", "2"}));
  lock.Release();
  here_.Upsert({"3"});
  EXPECT_EQ(Known(here_), (Ids{"1", "2", "3"}));
  EXPECT_EQ(Known(there_), (Ids{"1", "2", "3"}));
}

std::string JobIdOf(storage::RowReader& reader) {
  return std::string(JobRows().columns.Decode(reader).job.job.job_id);
}

// The jobs whose rows have a later change number.
std::vector<std::string> WrittenAfter(StoredQueue& replica, int64_t change) {
  storage::Database database({.url = replica.database_url()});
  auto ids = database.Read([change](storage::Transaction& transaction) {
    return storage::JobStore(transaction).ListChanged(JobRows(), JobIdOf, 1, change, 100);
  });
  EXPECT_TRUE(ids.ok()) << ids.status();
  std::sort(ids->begin(), ids->end());
  return *ids;
}

// Has the database run statements.
void RunScript(const std::string& database_url, const char* statements) {
  storage::Database database({.url = database_url, .pool_size = 1});
  const absl::Status run = database.Write(
      [&](storage::Transaction& transaction) { return transaction.ExecuteScript(statements); });
  ASSERT_TRUE(run.ok()) << run;
}

TEST_F(TrackedQueuesTest, AChangeThatNobodyNeedsAnyMoreIsNotStored) {
  here_.Upsert({"1"});
  TrackedJob waits;
  waits.job = priority::JobOf("2");
  waits.dependency = "afterok:1";
  const std::vector<TrackedJob> upserts = {waits};
  const QueueRequest request = {.source = "test", .upserts = upserts};
  {
    const auto gone = [] { return absl::CancelledError("the caller has gone"); };
    const threads::WorkScope scope(gone);
    EXPECT_EQ(here_.queues().Update("small", request, priority::kNow).status(),
              absl::CancelledError("the caller has gone"));
  }
  EXPECT_EQ(Known(here_), Ids{"1"});
  EXPECT_EQ(Known(there_), Ids{"1"});
  EXPECT_TRUE(here_.queues().Update("small", request, priority::kNow).ok());
  EXPECT_EQ(Known(here_), (Ids{"1", "2"}));
}

TEST_F(TrackedQueuesTest, AChangeThatTheDatabaseRefusedLeavesTheQueueAsItWas) {
  here_.Upsert({"1", "2"});
  RunScript(here_.database_url(),
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'refused'; END $$; CREATE TRIGGER refuse "
            "BEFORE DELETE ON priorityd.job FOR EACH ROW EXECUTE FUNCTION refuse()");
  const absl::string_view removals[] = {"1"};
  const auto answer = here_.queues().Update("small", {.source = "test", .removals = removals},
                                            priority::kNow, absl::Seconds(5));
  EXPECT_FALSE(answer.ok());
  EXPECT_EQ(Known(here_), (Ids{"1", "2"}));
  RunScript(here_.database_url(), "DROP TRIGGER refuse ON priorityd.job");
  here_.Upsert({"3"});
  here_.Remove("2");
  EXPECT_EQ(Known(here_), (Ids{"1", "3"}));
  EXPECT_EQ(Known(there_), (Ids{"1", "3"}));
}

TEST_F(TrackedQueuesTest, AChangeWhoseAnswerWasLostIsMadeOnce) {
  storage::LostAnswers lossy(here_.database_url());
  StoredQueue replica(lossy.url());
  replica.Upsert({"1"});
  lossy.LoseAnswerTo("lost-2");
  replica.Upsert({"lost-2"});
  EXPECT_EQ(lossy.lost(), 1);
  EXPECT_EQ(Known(replica), (Ids{"1", "lost-2"}));
  EXPECT_EQ(Known(here_), (Ids{"1", "lost-2"}));
  replica.Upsert({"3"});
  ASSERT_TRUE(here_.queues().ReadChanges().ok());
  EXPECT_EQ(WrittenAfter(here_, 2), Ids{"3"});  // The third change is the third job.
}

TEST_F(TrackedQueuesTest, ARemovalWhoseAnswerWasLostIsMade) {
  storage::LostAnswers lossy(here_.database_url());
  StoredQueue replica(lossy.url());
  replica.Upsert({"1", "lost-2"});
  lossy.LoseAnswerTo("lost-2");
  replica.Remove("lost-2");
  EXPECT_EQ(lossy.lost(), 1);
  EXPECT_EQ(Known(replica), Ids{"1"});
  EXPECT_EQ(Known(here_), Ids{"1"});
}

TEST_F(TrackedQueuesTest, AConnectionThatDiedWhileItWasIdleFailsNoChange) {
  here_.Upsert({"1"});
  here_.Upsert({"2"});
  storage::Database database({.url = here_.database_url()});
  const auto ended = database.Write([](storage::Transaction& transaction) {
    return transaction.Execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  });
  ASSERT_TRUE(ended.ok() && *ended > 0) << ended.status();
  here_.Upsert({"3"});
  EXPECT_EQ(Known(here_), (Ids{"1", "2", "3"}));
}

std::string Shown(const std::vector<quotas::Usage>& usages, absl::string_view quota) {
  for (const quotas::Usage& usage : usages) {
    if (usage.name != quota) continue;
    return absl::StrCat(usage.used, " of ", usage.limit, ", ", usage.refused, " refused");
  }
  return "none";
}

TEST(TrackedQueuesBoundsTest, TheBytesOfTheLargestClusterAreReportedAndForgottenWithIt) {
  StoredQueue queue(storage::NewTestDatabase(), {.cluster_jobs = 3});
  queue.AddCluster("other");
  EXPECT_EQ(queue.Refusal("small", {"1", "2"}), "");
  EXPECT_EQ(queue.Refusal("other", {"1"}), "");
  const size_t bytes = 2 * MemoryOf(queue.queues().State("other").value()->chunks()[0]->job(0));
  EXPECT_EQ(Shown(queue.queues().usages(), "tracked_bytes"),
            absl::StrCat(bytes, " of ", 256 << 20, ", 0 refused"));
  queue.queues().Forget("small");
  EXPECT_EQ(Shown(queue.queues().usages(), "tracked_bytes"),
            absl::StrCat(bytes / 2, " of ", 256 << 20, ", 0 refused"));
  EXPECT_EQ(Shown(queue.queues().usages(), "tracked_jobs"), "1 of 3, 0 refused");
}

TEST(TrackedQueuesBoundsTest, JobsOfAllClustersTogetherAreBounded) {
  QueueBounds bounds = {.cluster_jobs = 3, .all_jobs = 4};
  ASSERT_TRUE(bounds.parts.Set("all_tracked_jobs=100%").ok());
  StoredQueue queue(storage::NewTestDatabase(), bounds);
  queue.AddCluster("other");
  EXPECT_EQ(queue.Refusal("small", {"1", "2", "3"}), "");
  EXPECT_THAT(queue.Refusal("small", {"4"}),
              StartsWith("tracked_jobs: got 4 of all callers, want at most 3 "
                         "(--max_tracked_jobs)"));
  EXPECT_EQ(queue.Refusal("other", {"1"}), "");
  const std::string full =
      "all_tracked_jobs: got 5 of all callers, want at most 4 (--max_all_tracked_jobs)";
  EXPECT_THAT(queue.Refusal("other", {"2"}), StartsWith(full));
  const std::vector<quotas::Usage> usages = queue.queues().usages();
  EXPECT_EQ(Shown(usages, "tracked_jobs"), "3 of 3, 1 refused");
  EXPECT_EQ(Shown(usages, "all_tracked_jobs"), "4 of 4, 1 refused");
  queue.Remove("1");
  EXPECT_EQ(queue.Refusal("other", {"2"}), "");
  // One that is loaded counts too.
  StoredQueue restarted(queue.database_url(), bounds);
  restarted.AddCluster("other");
  ASSERT_TRUE(restarted.queues().ReadChanges().ok());
  EXPECT_THAT(restarted.Refusal("small", {"5"}), StartsWith(full));
}

TEST(TrackedQueuesBoundsTest, AClusterWithItsPartOfAllJobsIsRefusedAndAnotherIsServed) {
  StoredQueue queue(storage::NewTestDatabase(), {.cluster_jobs = 100, .all_jobs = 8});
  EXPECT_EQ(queue.Refusal("small", {"1", "2", "3", "4", "5"}), "");
  queue.AddCluster("other");
  EXPECT_EQ(queue.Refusal("other", {"1"}), "");
  EXPECT_THAT(queue.Refusal("small", {"6"}),
              StartsWith("all_tracked_jobs: got 6 of cluster small, want at most 4 of one cluster "
                         "(--quota=all_tracked_jobs=N)"));
  EXPECT_EQ(queue.Refusal("other", {"2", "3"}), "");
}

TEST_F(TrackedQueuesTest, TheStateIsForTheNewestSnapshotAndThePublishedOneForTheLastKnown) {
  here_.Upsert({"1"});
  here_.Recalculate();
  EXPECT_EQ((*here_.queues().PublishedState("small"))->snapshot().generation(), 1);
  EXPECT_EQ((*here_.queues().State("small"))->snapshot().generation(), 2);
  EXPECT_EQ((*here_.queues().PublishedState("small"))->snapshot().generation(), 2);
}

TEST_F(TrackedQueuesTest, TheListenerIsCalledOnceForEachChange) {
  Ids calls;
  there_.queues().SetListener([&](const std::string& cluster) { calls.push_back(cluster); });
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  EXPECT_EQ(calls.size(), 1);  // It is loaded.
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  EXPECT_EQ(calls.size(), 1);  // Nothing new.
  here_.Upsert({"1"});
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  EXPECT_EQ(calls.size(), 2);
  there_.Recalculate();
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  EXPECT_EQ(calls.size(), 3);
  there_.queues().SetListener(nullptr);
  there_.Upsert({"2"});
  EXPECT_EQ(calls, (Ids{"small", "small", "small"}));
}

TEST_F(TrackedQueuesTest, SiteFactorsAreStoredForAllReplicas) {
  here_.Upsert({"1", "2"});
  ASSERT_TRUE(here_.queues().SetSiteFactors("small", {{{"2", -7}, {"gone", 3}}}).ok());
  EXPECT_EQ(SiteFactorsOf(**there_.queues().State("small")), (std::vector<int64_t>{0, -7}));
}

TEST_F(TrackedQueuesTest, HowTheServiceAnsweredIsKnownToAllReplicasAndKeepsItsLastAnswer) {
  priority::Policy policy;
  policy.site_factor_plugin = "host:1";
  here_.Recalculate(policy);
  there_.Recalculate(policy);
  const absl::Time answered = absl::FromUnixSeconds(1'800'000'000);
  ASSERT_TRUE(here_.queues().SetSiteFactorSource("small", {"host:1", answered, ""}).ok());
  ASSERT_TRUE(here_.queues().SetSiteFactorSource("small", {"host:1", {}, "no answer"}).ok());
  ASSERT_TRUE(there_.queues().ReadChanges().ok());
  const auto source = there_.queues().FindSiteFactorSource("small");
  ASSERT_TRUE(source.ok() && source->has_value());
  EXPECT_EQ((*source)->answered_at, answered);
  EXPECT_EQ((*source)->failure, "no answer");
}

TEST_F(TrackedQueuesTest, UnderIncrOnlyARecalculationWritesOnlyTheJobsThatRose) {
  priority::Policy policy;
  policy.incr_only = true;
  policy.weight_fair_share = 1000;
  here_.Upsert({"1", "2"}, "ann");
  here_.Upsert({"3", "4"}, "cat");
  here_.Recalculate(policy, {{"physics/ann", 500}, {"chemistry/cat", 10}});
  ASSERT_TRUE(here_.queues().ReadChanges().ok());
  EXPECT_EQ(WrittenAfter(here_, 4), (Ids{"1", "2", "3", "4"}));  // They had none before.
  here_.Recalculate(policy, {{"physics/ann", 500}, {"chemistry/cat", 5000}});
  ASSERT_TRUE(here_.queues().ReadChanges().ok());
  EXPECT_EQ(WrittenAfter(here_, 8), (Ids{"1", "2"}));
}

TEST_F(TrackedQueuesTest, UnderIncrOnlyARecalculationThatRaisesNothingWaitsForNobody) {
  priority::Policy policy;
  policy.incr_only = true;
  policy.weight_fair_share = 1000;
  here_.Upsert({"1"});
  here_.Recalculate(policy);
  ASSERT_TRUE(here_.queues().ReadChanges().ok());
  // Somebody changes the queue meanwhile.
  storage::Database database({.url = here_.database_url()});
  const absl::Status locked = database.Write([&](storage::Transaction& transaction) {
    absl::Status status = storage::JobStore(transaction).Lock(1).status();
    if (!status.ok()) return status;
    here_.Recalculate(policy);
    return here_.queues().ReadChanges();
  });
  EXPECT_TRUE(locked.ok()) << locked;
}

TEST_F(TrackedQueuesTest, QueuesThatAreBusyAreLeftInTimeThoughTheHostsClockStepsBack) {
  here_.AddCluster("other");
  here_.Upsert({"1"});
  here_.Refusal("other", {"1"});
  storage::HeldLock lock(here_.database_url(), "SELECT * FROM priorityd.job_queue FOR UPDATE");
  std::vector<std::thread> changes;
  for (const char* cluster : {"small", "other"}) {
    changes.emplace_back([this, cluster] {
      const absl::string_view removed[] = {"1"};
      EXPECT_TRUE(here_.queues()
                      .Update(cluster, {.source = "test", .removals = removed}, priority::kNow,
                              absl::Minutes(1))
                      .ok());
    });
  }
  lock.AwaitWaiters(2);
  std::atomic<bool> is_read = false;
  std::thread reading([&] {
    EXPECT_TRUE(here_.queues().ReadChanges().ok());
    is_read = true;
  });
  SteppedClock clock;
  for (int i = 0; i < 2500 && !is_read; ++i) {
    clock.Step(-absl::Hours(1));
    absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_TRUE(is_read);
  lock.Release();
  for (std::thread& change : changes) change.join();
  reading.join();
}

TEST_F(TrackedQueuesTest, WithoutAPluginThereIsNoSiteFactorSource) {
  EXPECT_EQ(here_.queues().FindSiteFactorSource("small").value(), std::nullopt);
}

TEST_F(TrackedQueuesTest, AnUnknownClusterHasNoQueue) {
  EXPECT_TRUE(absl::IsNotFound(here_.queues().State("unknown").status()));
  EXPECT_TRUE(absl::IsNotFound(here_.queues().PublishedState("unknown").status()));
  EXPECT_TRUE(absl::IsNotFound(here_.queues().ReadState("unknown").status()));
}

}  // namespace
}  // namespace priorityd::queue
