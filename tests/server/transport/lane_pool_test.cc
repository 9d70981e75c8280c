#include "server/transport/lane_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

// Work that does not wait.
LanePool::Work Done(std::function<void()> work) {
  return [work = std::move(work)] {
    work();
    return true;
  };
}

TEST(LanePoolTest, ALaneThatIsSlowTakesOneThread) {
  LanePool pool(2);
  std::latch go_on(1), others_done(3);
  for (int i = 0; i < 5; ++i) pool.TrySchedule("slow", Done([&] { go_on.wait(); }));
  for (const char* lane : {"a", "a", "b"}) {
    pool.TrySchedule(lane, Done([&] { others_done.count_down(); }));
  }
  others_done.wait();
  go_on.count_down();
}

TEST(LanePoolTest, LanesThatWouldWaitTakeNoThreadFromOthers) {
  LanePool pool(1);
  std::atomic<bool> locked = true;
  std::latch tried(20), others_done(3);
  for (int i = 0; i < 20; ++i) {
    pool.TrySchedule(absl::StrCat("locked", i), [&, is_first = true]() mutable {
      if (std::exchange(is_first, false)) tried.count_down();
      return !locked;
    });
  }
  tried.wait();
  for (const char* lane : {"a", "a", "b"}) {
    pool.TrySchedule(lane, Done([&] { others_done.count_down(); }));
  }
  others_done.wait();
  locked = false;
}

TEST(LanePoolTest, WorkThatWouldWaitIsRunAgainBeforeWhatComesAfterIt) {
  std::vector<int> order;
  {
    LanePool pool(4);
    for (int i = 0; i < 3; ++i) {
      pool.TrySchedule("a", [i, tries = 0, &order]() mutable {
        order.push_back(i);
        return ++tries == 3;
      });
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(LanePoolTest, ALaneKeepsTheOrderAndRunsOneAtATime) {
  std::vector<int> order;
  {
    LanePool pool(4);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pool.TrySchedule("a", Done([i, &order] { order.push_back(i); })));
    }
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(LanePoolTest, ItsThreadsWorkForSeveralLanesAtTheSameTime) {
  std::latch all_begun(3);
  LanePool pool(3);
  for (const char* lane : {"a", "b", "c"}) {
    pool.TrySchedule(lane, Done([&] { all_begun.arrive_and_wait(); }));
  }
  all_begun.wait();
}

TEST(LanePoolTest, WhatIsTooMuchIsRefused) {
  LanePool pool(1, /*max_queued=*/2);
  std::latch begun(1), go_on(1);
  pool.TrySchedule("a", Done([&] {
                     begun.count_down();
                     go_on.wait();
                   }));
  begun.wait();
  EXPECT_TRUE(pool.TrySchedule("a", Done([] {})));
  EXPECT_TRUE(pool.TrySchedule("b", Done([] {})));
  EXPECT_FALSE(pool.TrySchedule("c", Done([] {})));
  go_on.count_down();
}

TEST(LanePoolTest, ALaneLeavesRoomForOthers) {
  LanePool pool(1, /*max_queued=*/100);
  std::latch begun(1), go_on(1);
  pool.TrySchedule("hog", Done([&] {
                     begun.count_down();
                     go_on.wait();
                   }));
  begun.wait();
  int taken = 0;
  while (pool.TrySchedule("hog", Done([] {}))) ++taken;
  EXPECT_EQ(taken, 50);
  EXPECT_TRUE(pool.TrySchedule("other", Done([] {})));
  go_on.count_down();
}

TEST(LanePoolTest, ItsActivityCountsWhatWaitsInAllLanes) {
  std::latch begun(1), go_on(1);
  LanePool pool(1);
  pool.TrySchedule("a", Done([&] {
                     begun.count_down();
                     go_on.wait();
                   }));
  begun.wait();
  for (const char* lane : {"a", "b", "b"}) pool.TrySchedule(lane, Done([] {}));
  EXPECT_EQ(pool.activity().threads, 1);
  EXPECT_EQ(pool.activity().busy, 1);
  EXPECT_EQ(pool.activity().queued, 3u);
  go_on.count_down();
}

TEST(LanePoolTest, ACallerWithTheirPartIsRefusedByNameAndOthersAreServedInTheSameLane) {
  std::latch begun(1), go_on(1);
  std::atomic<int> done{0};
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=2").ok());
  {
    LanePool pool(1, /*max_queued=*/100, parts);
    ASSERT_TRUE(pool.TrySchedule({"user:fay"}, "c",
                                 [&] {
                                   begun.count_down();
                                   go_on.wait();
                                   return true;
                                 })
                    .ok());
    begun.wait();
    const auto count = [&] {
      ++done;
      return true;
    };
    EXPECT_TRUE(pool.TrySchedule({"user:fay"}, "d", count).ok());
    const absl::Status refused = pool.TrySchedule({"user:fay"}, "d", count);
    EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
    EXPECT_EQ(refused.message(),
              "calls: got 3 of user:fay, want at most 2 of one caller (--quota=calls=N); await the "
              "answers of other calls, and try again");
    EXPECT_TRUE(pool.TrySchedule({"user:bob"}, "d", count).ok());
    go_on.count_down();
  }
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace priorityd::rpc
