#include "server/http/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace priorityd::http {
namespace {

TEST(BoundedQueueTest, ATaskThatFindsNoRoomIsRunAtOnceAndToldSo) {
  std::latch begun(1), go_on(1);
  std::atomic<int> done = 0, refused = 0;
  {
    BoundedQueue queue(1, 2);
    queue.enqueue([&] {
      begun.count_down();
      go_on.wait();
    });
    begun.wait();
    for (int i = 0; i < 5; ++i) {
      queue.enqueue([&] { ++(BoundedQueue::refusing() ? refused : done); });
    }
    EXPECT_EQ(refused, 3);
    EXPECT_FALSE(BoundedQueue::refusing());
    go_on.count_down();
  }
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace priorityd::http
