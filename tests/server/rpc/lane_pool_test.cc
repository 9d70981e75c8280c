#include "server/rpc/lane_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace priorityd::rpc {
namespace {

TEST(LanePoolTest, ALaneThatWaitsTakesOneThread) {
  LanePool pool(2);
  std::latch go_on(1), others_done(3);
  for (int i = 0; i < 5; ++i) pool.TrySchedule("locked", [&] { go_on.wait(); });
  for (const char* lane : {"a", "a", "b"}) {
    pool.TrySchedule(lane, [&] { others_done.count_down(); });
  }
  others_done.wait();
  go_on.count_down();
}

TEST(LanePoolTest, ALaneKeepsTheOrderAndRunsOneAtATime) {
  std::vector<int> order;
  {
    LanePool pool(4);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pool.TrySchedule("a", [i, &order] { order.push_back(i); }));
    }
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(LanePoolTest, ItsThreadsWorkForSeveralLanesAtTheSameTime) {
  std::latch all_begun(3);
  LanePool pool(3);
  for (const char* lane : {"a", "b", "c"}) {
    pool.TrySchedule(lane, [&] { all_begun.arrive_and_wait(); });
  }
  all_begun.wait();
}

TEST(LanePoolTest, WhatIsTooMuchIsRefused) {
  LanePool pool(1, /*max_queued=*/2);
  std::latch begun(1), go_on(1);
  pool.TrySchedule("a", [&] {
    begun.count_down();
    go_on.wait();
  });
  begun.wait();
  EXPECT_TRUE(pool.TrySchedule("a", [] {}));
  EXPECT_TRUE(pool.TrySchedule("b", [] {}));
  EXPECT_FALSE(pool.TrySchedule("c", [] {}));
  go_on.count_down();
}

}  // namespace
}  // namespace priorityd::rpc
