#include "server/rpc/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "absl/synchronization/blocking_counter.h"

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
  absl::BlockingCounter all_begun(kThreads);
  std::atomic<int> done{0};
  {
    WorkerPool pool(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      pool.Schedule([&] {
        if (all_begun.DecrementCount()) ++done;
        ++done;
      });
    }
    all_begun.Wait();
  }
  EXPECT_EQ(done, kThreads + 1);
}

TEST(WorkerPoolTest, WhatWasScheduledIsDoneBeforeThePoolGoes) {
  std::atomic<int> done{0};
  {
    WorkerPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

}  // namespace
}  // namespace priorityd::rpc
