#include "server/threads/timed_mutex.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace priorityd::threads {
namespace {

TEST(TimedMutexTest, WhoHasNoPatienceGetsItOnlyWhereItIsFree) {
  TimedMutex mutex;
  ASSERT_TRUE(mutex.TryLockFor(absl::ZeroDuration()));
  EXPECT_FALSE(mutex.TryLockFor(absl::ZeroDuration()));
  EXPECT_FALSE(mutex.TryLockFor(absl::Milliseconds(1)));
  mutex.Unlock();
  EXPECT_TRUE(mutex.TryLockFor(absl::ZeroDuration()));
  mutex.Unlock();
}

TEST(TimedMutexTest, WhoWaitsGetsItWhenItIsFree) {
  TimedMutex mutex;
  ASSERT_TRUE(mutex.TryLockFor(absl::InfiniteDuration()));
  std::latch waits(1);
  std::thread other([&] {
    waits.count_down();
    EXPECT_TRUE(mutex.TryLockFor(absl::Minutes(1)));
    mutex.Unlock();
  });
  waits.wait();
  mutex.Unlock();
  other.join();
}

TEST(TimedMutexTest, ALockThatWasNotGotIsNotGivenBack) {
  TimedMutex mutex;
  const TimedMutexLock first(&mutex);
  EXPECT_TRUE(first.is_held());
  EXPECT_FALSE(TimedMutexLock(&mutex, absl::ZeroDuration()).is_held());
  EXPECT_FALSE(mutex.TryLockFor(absl::ZeroDuration()));
}

TEST(TimedMutexTest, OneAtATimeHoldsIt) {
  TimedMutex mutex;
  int count = 0;
  const auto add = [&] {
    for (int i = 0; i < 10'000; ++i) {
      TimedMutexLock lock(&mutex);
      ++count;
    }
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(count, 20'000);
}

}  // namespace
}  // namespace priorityd::threads
