#include "server/transport/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "engine/errors/error_details.h"

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

TEST(WorkerPoolTest, ACallerWithTheirPartIsRefusedByNameAndOthersAndServicesAreServed) {
  std::latch begun(1), go_on(1);
  std::atomic<int> done{0};
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=3").ok());
  {
    WorkerPool pool(1, /*max_queued=*/9, parts);
    ASSERT_TRUE(pool.TrySchedule({"user:fay"},
                                 [&] {
                                   begun.count_down();
                                   go_on.wait();
                                 })
                    .ok());
    begun.wait();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(pool.TrySchedule({"user:fay"}, [&] { ++done; }).ok());
    // What runs counts as well as what waits.
    const absl::Status refused = pool.TrySchedule({"user:fay"}, [&] { done += 100; });
    EXPECT_EQ(refused.message(),
              "calls: got 4 of user:fay, want at most 3 of one caller (--quota=calls=N); await the "
              "answers of other calls, and try again");
    EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
    EXPECT_TRUE(errors::RetryDelayOf(refused).has_value());
    EXPECT_TRUE(pool.TrySchedule({"user:bob"}, [&] { ++done; }).ok());
    const quotas::Holder service = {"tls:frontend", "", true};
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(pool.TrySchedule(service, [&] { ++done; }).ok());
    EXPECT_EQ(errors::ReasonOf(pool.TrySchedule(service, [&] { done += 100; })), "QUOTA_EXCEEDED");
    go_on.count_down();
  }
  EXPECT_EQ(done, 9);
}

TEST(WorkerPoolTest, ACallThatHasRunGivesItsPlaceBackAndOneThatIsNotTakenToo) {
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=1").ok());
  WorkerPool pool(1, /*max_queued=*/0, parts);
  EXPECT_EQ(errors::ReasonOf(pool.TrySchedule({"user:fay"}, [] {})), "SERVER_BUSY");
  EXPECT_EQ(pool.usage().used, 0u);
  WorkerPool other(1, /*max_queued=*/5, parts);
  for (int i = 0; i < 100; ++i) {
    std::latch done(1);
    ASSERT_TRUE(other.TrySchedule({"user:fay"}, [&] { done.count_down(); }).ok()) << i;
    done.wait();
    while (other.usage().used > 0) std::this_thread::yield();
  }
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
