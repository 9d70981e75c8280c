#include "storage/configuration/cluster_store.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ClusterStoreTest = StoreTest;

TEST_F(ClusterStoreTest, ANewClusterHasANameAndNoSizes) {
  EXPECT_GT(cluster_.id, 0);
  EXPECT_EQ(cluster_.name, "test");
  EXPECT_EQ(cluster_.nodes, std::nullopt);
  EXPECT_EQ(cluster_.cpus, std::nullopt);
  EXPECT_TRUE(cluster_.tres.empty());
  EXPECT_LT(absl::AbsDuration(absl::Now() - cluster_.created_at), absl::Hours(1));
}

TEST_F(ClusterStoreTest, ANameIsCreatedOnce) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    auto again = ClusterStore(transaction).FindOrCreate("test");
    EXPECT_EQ(again.value(), cluster_);
    return again.status();
  }));
  EXPECT_EQ(Read([](Transaction& t) { return ClusterStore(t).List(); })->size(), 1u);
}

TEST_F(ClusterStoreTest, TwoMayCreateTheSameAtOnce) {
  std::vector<int32_t> ids(4);
  std::vector<std::thread> threads;
  for (int32_t& id : ids) {
    threads.emplace_back([this, &id] {
      EXPECT_OK(Write([&](Transaction& transaction) {
        auto cluster = ClusterStore(transaction).FindOrCreate("fresh");
        if (cluster.ok()) id = cluster->id;
        return cluster.status();
      }));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids, std::vector<int32_t>(4, ids[0]));
}

TEST_F(ClusterStoreTest, SizesAreReadBack) {
  cluster_.nodes = 4;
  cluster_.cpus = 256;
  cluster_.tres = {{"cpu", 256}, {"license/matlab", 0.5}};
  ASSERT_OK(Write([&](Transaction& t) { return ClusterStore(t).Update(cluster_); }));
  EXPECT_EQ(Read([](Transaction& t) { return ClusterStore(t).Find("test"); }).value(), cluster_);
}

TEST_F(ClusterStoreTest, AnUnknownClusterIsNotFound) {
  EXPECT_EQ(Read([](Transaction& t) { return ClusterStore(t).Find("none"); }).value(),
            std::nullopt);
  EXPECT_EQ(Write([](Transaction& t) { return ClusterStore(t).Update({.id = 99}); }).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Write([](Transaction& t) { return ClusterStore(t).Lock(99); }).code(),
            absl::StatusCode::kNotFound);
}

// Asks until so many wait for a lock.
bool AwaitWaiters(Transaction& transaction, int64_t count) {
  for (const absl::Time end = absl::Now() + absl::Minutes(1); absl::Now() < end;) {
    auto waiters = transaction.Execute("SELECT FROM pg_locks WHERE NOT granted");
    if (!waiters.ok() || *waiters >= count) return waiters.ok();
  }
  return false;
}

TEST_F(ClusterStoreTest, TheLockKeepsASecondHolderOut) {
  std::vector<std::string> order;
  std::thread second;
  ASSERT_OK(Write([&](Transaction& transaction) {
    absl::Status status = ClusterStore(transaction).Lock(cluster_.id);
    second = std::thread([&] {
      EXPECT_OK(Write([&](Transaction& other) {
        absl::Status second_status = ClusterStore(other).Lock(cluster_.id);
        order.push_back("second");
        return second_status;
      }));
    });
    EXPECT_TRUE(AwaitWaiters(transaction, 1));
    order.push_back("first");
    return status;
  }));
  second.join();
  EXPECT_EQ(order, (std::vector<std::string>{"first", "second"}));
}

TEST_F(ClusterStoreTest, SharersDoNotPassOneWhoWaitsForTheLock) {
  std::vector<std::string> order;
  absl::Mutex mutex;
  const auto take = [&](absl::Status (ClusterStore::*lock)(int32_t), const char* who) {
    EXPECT_OK(Write([&](Transaction& transaction) {
      absl::Status status = (ClusterStore(transaction).*lock)(cluster_.id);
      absl::MutexLock guard(&mutex);
      order.push_back(who);
      return status;
    }));
  };
  std::thread alone;
  std::thread sharer;
  ASSERT_OK(Write([&](Transaction& transaction) {
    absl::Status status = ClusterStore(transaction).LockShared(cluster_.id);
    alone = std::thread([&] { take(&ClusterStore::Lock, "alone"); });
    EXPECT_TRUE(AwaitWaiters(transaction, 1));
    sharer = std::thread([&] { take(&ClusterStore::LockShared, "sharer"); });
    EXPECT_TRUE(AwaitWaiters(transaction, 2));
    return status;
  }));
  alone.join();
  sharer.join();
  EXPECT_EQ(order, (std::vector<std::string>{"alone", "sharer"}));
}

// PostgreSQL awaits the synchronous standby only for transactions that wrote to its log.
TEST_F(ClusterStoreTest, ASharerWritesToTheLog) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    const auto written = [&] {
      return transaction
          .QueryOne(OnlyColumn<int64_t>, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
          .value();
    };
    const int64_t before = written();
    absl::Status status = ClusterStore(transaction).LockShared(cluster_.id);
    EXPECT_GT(written(), before);
    return status;
  }));
}

TEST_F(ClusterStoreTest, ManyMayShareTheLock) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    absl::Status status = ClusterStore(transaction).LockShared(cluster_.id);
    EXPECT_OK(
        Write([&](Transaction& other) { return ClusterStore(other).LockShared(cluster_.id); }));
    return status;
  }));
}

}  // namespace
}  // namespace priorityd::storage
