// When turns come, and how they end.
#include "server/threads/periodic_thread.h"

#include <gtest/gtest.h>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace priorityd::threads {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(1);
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

// Stands still until it is set.
class StoppedClock {
 public:
  absl::Time now() const {
    absl::MutexLock lock(&mutex_);
    return now_;
  }
  void Advance(absl::Duration duration) {
    absl::MutexLock lock(&mutex_);
    now_ += duration;
  }
  Clock clock() const {
    return [this] { return now(); };
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = kStart;
};

// A thread whose turns are counted, each due a minute after the one before.
class CountedThread {
 public:
  void Start() {
    thread_.Start([this] {
      absl::MutexLock lock(&mutex_);
      ++turns_;
      return clock_.now() + absl::Minutes(1);
    });
  }
  bool AwaitTurns(int turns) {
    const auto done = [&] {
      mutex_.AssertHeld();
      return turns_ >= turns;
    };
    absl::MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(absl::Condition(&done), kPatience) && turns_ == turns;
  }
  int turns() {
    absl::MutexLock lock(&mutex_);
    return turns_;
  }
  StoppedClock& clock() { return clock_; }
  PeriodicThread& thread() { return thread_; }

 private:
  absl::Mutex mutex_;
  int turns_ ABSL_GUARDED_BY(mutex_) = 0;
  StoppedClock clock_;
  PeriodicThread thread_{clock_.clock()};
};

TEST(PeriodicThreadTest, TheFirstTurnComesAtOnceAndTheNextWhenItIsDue) {
  CountedThread counted;
  counted.Start();
  ASSERT_TRUE(counted.AwaitTurns(1));
  counted.clock().Advance(absl::Seconds(59));
  counted.thread().CheckClock();
  EXPECT_EQ(counted.turns(), 1);
  counted.clock().Advance(absl::Seconds(1));
  counted.thread().CheckClock();
  EXPECT_TRUE(counted.AwaitTurns(2));
}

TEST(PeriodicThreadTest, ThePassingOfARealClockIsEnough) {
  PeriodicThread thread(absl::Now);
  absl::Notification third;
  int turns = 0;
  thread.Start([&] {
    if (++turns == 3) third.Notify();
    return absl::Now() + absl::Milliseconds(1);
  });
  EXPECT_TRUE(third.WaitForNotificationWithTimeout(kPatience));
  thread.Stop();
}

TEST(PeriodicThreadTest, WakeDoesNotWaitForTheClock) {
  CountedThread counted;
  counted.Start();
  ASSERT_TRUE(counted.AwaitTurns(1));
  counted.thread().Wake();
  EXPECT_TRUE(counted.AwaitTurns(2));
}

TEST(PeriodicThreadTest, AWakeDuringATurnIsNotLost) {
  PeriodicThread thread(absl::Now);
  absl::Notification first, second, woken;
  int turns = 0;
  thread.Start([&] {
    if (++turns == 1) {
      first.Notify();
      woken.WaitForNotificationWithTimeout(kPatience);
    } else if (turns == 2) {
      second.Notify();
    }
    return absl::InfiniteFuture();
  });
  ASSERT_TRUE(first.WaitForNotificationWithTimeout(kPatience));
  thread.Wake();
  woken.Notify();
  EXPECT_TRUE(second.WaitForNotificationWithTimeout(kPatience));
  thread.Stop();
}

TEST(PeriodicThreadTest, StopWaitsForTheTurnAndNoneFollows) {
  CountedThread counted;
  counted.Start();
  ASSERT_TRUE(counted.AwaitTurns(1));
  counted.thread().Stop();
  counted.clock().Advance(absl::Hours(1));
  counted.thread().CheckClock();
  counted.thread().Wake();
  counted.thread().Stop();
  EXPECT_EQ(counted.turns(), 1);
}

TEST(PeriodicThreadTest, AThreadThatWasNeverStartedStops) {
  PeriodicThread thread(absl::Now);
  thread.Stop();
  EXPECT_FALSE(thread.Sleep(absl::Hours(1)));
}

TEST(PeriodicThreadTest, SleepEndsWhenTheThreadIsToStopAndNotWhenItIsWoken) {
  StoppedClock clock;
  PeriodicThread thread(clock.clock());
  absl::Notification begins;
  bool slept = true;
  thread.Start([&] {
    begins.Notify();
    slept = thread.Sleep(absl::Hours(1));
    return absl::InfiniteFuture();
  });
  ASSERT_TRUE(begins.WaitForNotificationWithTimeout(kPatience));
  thread.Wake();
  thread.Stop();
  EXPECT_FALSE(slept);
}

TEST(PeriodicThreadTest, ALongTurnLearnsThatItMustStop) {
  PeriodicThread thread(absl::Now);
  EXPECT_FALSE(thread.MustStop());
  absl::Notification begins, ends;
  thread.Start([&] {
    begins.Notify();
    while (!thread.MustStop()) {
    }
    ends.Notify();
    return absl::InfiniteFuture();
  });
  ASSERT_TRUE(begins.WaitForNotificationWithTimeout(kPatience));
  thread.RequestStop();
  EXPECT_TRUE(ends.WaitForNotificationWithTimeout(kPatience));
}

TEST(PeriodicThreadTest, SleepLastsAsLongAsTheClockSays) {
  // Advances by a minute whenever it is read.
  absl::Time now = kStart;
  PeriodicThread thread([&] { return now += absl::Minutes(1); });
  EXPECT_TRUE(thread.Sleep(absl::ZeroDuration()));
  const absl::Time before = now;
  EXPECT_TRUE(thread.Sleep(absl::Milliseconds(1)));
  EXPECT_EQ(now, before + absl::Minutes(2));
}

}  // namespace
}  // namespace priorityd::threads
