#include "server/rpc/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
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

}  // namespace
}  // namespace priorityd::rpc
