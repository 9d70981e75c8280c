#include "server/rpc/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace priorityd::rpc {
namespace {

TEST(WorkerPoolTest, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  {
    WorkerPool pool(1);
    for (int i = 0; i < 100; ++i) pool.Schedule([i, &order] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(WorkerPoolTest, ItsThreadsWorkAtTheSameTime) {
  constexpr int kThreads = 4;
  std::latch all_begun(kThreads);
  std::atomic<int> done{0};
  {
    WorkerPool pool(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      pool.Schedule([&] {
        all_begun.arrive_and_wait();
        ++done;
      });
    }
    all_begun.wait();
  }
  EXPECT_EQ(done, kThreads);
}

TEST(WorkerPoolTest, WhatWasScheduledIsDoneBeforeThePoolGoes) {
  std::atomic<int> done{0};
  {
    WorkerPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(WorkerPoolTest, WhenTooManyWaitNoMoreAreTakenButWhatGoesOnIs) {
  std::latch begun(1), go_on(1);
  std::atomic<int> done{0};
  {
    WorkerPool pool(1, /*max_queued=*/2);
    pool.Schedule([&] {
      begun.count_down();
      go_on.wait();
    });
    begun.wait();
    EXPECT_TRUE(pool.TrySchedule([&] { ++done; }));
    EXPECT_TRUE(pool.TrySchedule([&] { ++done; }));
    EXPECT_FALSE(pool.TrySchedule([&] { done += 100; }));
    pool.Schedule([&] { ++done; });
    go_on.count_down();
  }
  EXPECT_EQ(done, 3);
}

TEST(WorkerPoolTest, ItsActivitySaysHowManyThreadsWorkAndWhatWaitsForThem) {
  std::latch begun(2), go_on(1);
  WorkerPool pool(2);
  for (int i = 0; i < 2; ++i) {
    pool.Schedule([&] {
      begun.count_down();
      go_on.wait();
    });
  }
  begun.wait();
  for (int i = 0; i < 3; ++i) pool.Schedule([] {});
  EXPECT_EQ(pool.activity().threads, 2);
  EXPECT_EQ(pool.activity().busy, 2);
  EXPECT_EQ(pool.activity().queued, 3u);
  go_on.count_down();
  while (pool.activity().busy > 0 || pool.activity().queued > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace priorityd::rpc
