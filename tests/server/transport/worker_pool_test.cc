#include "server/transport/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

// Work that does not wait.
WorkerPool::Work Done(std::function<void()> work) {
  return [work = std::move(work)] {
    work();
    return true;
  };
}

// Occupies all threads of a pool until Release.
class BusyThreads {
 public:
  explicit BusyThreads(WorkerPool* pool) : begun_(pool->threads()) {
    for (int i = 0; i < pool->threads(); ++i) {
      pool->Schedule(absl::StrCat("busy", i), [this] {
        begun_.count_down();
        released_.wait();
      });
    }
    begun_.wait();
  }
  void Release() { released_.count_down(); }

 private:
  std::latch begun_, released_{1};
};

TEST(WorkerPoolTest, ACallerWithOneCallWaitsForOneTurnOfACallerWithAThousand) {
  std::string order;
  {
    WorkerPool pool({.threads = 1, .max_queued = 10'000});
    BusyThreads busy(&pool);
    const quotas::Holder greedy = {"user:greedy"}, honest = {"user:honest"};
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(pool.TrySchedule(greedy, greedy.name, Done([&] { order += 'g'; })).ok());
    }
    ASSERT_TRUE(pool.TrySchedule(honest, honest.name, Done([&] { order += 'h'; })).ok());
    busy.Release();
  }
  EXPECT_EQ(order.substr(0, 3), "ghg");
  EXPECT_EQ(order.size(), 1001u);
}

TEST(WorkerPoolTest, CallersTakeTurnsInALaneToo) {
  std::string order;
  {
    WorkerPool pool({.threads = 4, .max_queued = 10'000, .one_at_a_time = true});
    BusyThreads busy(&pool);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(pool.TrySchedule({"user:greedy"}, "cluster", Done([&] { order += 'g'; })).ok());
    }
    ASSERT_TRUE(pool.TrySchedule({"user:honest"}, "cluster", Done([&] { order += 'h'; })).ok());
    busy.Release();
  }
  EXPECT_EQ(order.substr(0, 3), "ghg");
}

TEST(WorkerPoolTest, ALaneLeavesOneThreadToOthersHoweverLongItsWorkTakes) {
  WorkerPool pool({.threads = 3});
  std::latch begun(2), release(1), other_done(1);
  for (int i = 0; i < 5; ++i) {
    pool.Schedule("greedy", [&, i] {
      if (i < 2) begun.count_down();
      release.wait();
    });
  }
  begun.wait();  // Two at the same time.
  EXPECT_EQ(pool.activity().busy, 2);
  EXPECT_EQ(pool.activity().queued, 3u);
  pool.Schedule("honest", [&] { other_done.count_down(); });
  other_done.wait();
  release.count_down();
}

TEST(WorkerPoolTest, OneThreadKeepsTheOrderOfALane) {
  std::vector<int> order;
  {
    WorkerPool pool({.threads = 1});
    for (int i = 0; i < 100; ++i) pool.Schedule("a", [i, &order] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(WorkerPoolTest, WhereOneRunsAtATimeALaneKeepsItsOrderOnAnyThread) {
  std::vector<int> order;
  {
    WorkerPool pool({.threads = 4, .one_at_a_time = true});
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pool.TrySchedule("a", Done([i, &order] { order.push_back(i); })));
    }
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(WorkerPoolTest, ItsThreadsWorkForSeveralLanesAtTheSameTime) {
  std::latch all_begun(3);
  WorkerPool pool({.threads = 3, .one_at_a_time = true});
  for (const char* lane : {"a", "b", "c"}) {
    pool.TrySchedule(lane, Done([&] { all_begun.arrive_and_wait(); }));
  }
  all_begun.wait();
}

TEST(WorkerPoolTest, WhereOneRunsAtATimeASlowLaneTakesOneThread) {
  WorkerPool pool({.threads = 2, .one_at_a_time = true});
  std::latch release(1), others_done(3);
  for (int i = 0; i < 5; ++i) pool.TrySchedule("slow", Done([&] { release.wait(); }));
  for (const char* lane : {"a", "a", "b"}) {
    pool.TrySchedule(lane, Done([&] { others_done.count_down(); }));
  }
  others_done.wait();
  release.count_down();
}

TEST(WorkerPoolTest, LanesThatWouldWaitTakeNoThreadFromOthers) {
  WorkerPool pool({.threads = 1, .one_at_a_time = true});
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

TEST(WorkerPoolTest, WorkThatWouldWaitIsRunAgainBeforeTheRestOfItsLane) {
  std::vector<int> order;
  {
    WorkerPool pool({.threads = 4, .one_at_a_time = true});
    for (int i = 0; i < 3; ++i) {
      pool.TrySchedule("a", [i, tries = 0, &order]() mutable {
        order.push_back(i);
        return ++tries == 3;
      });
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(WorkerPoolTest, SeveralPiecesOfALaneThatWouldWaitAreAllRunAgain) {
  std::atomic<int> runs = 0;
  {
    WorkerPool pool({.threads = 4});
    for (int i = 0; i < 30; ++i) {
      pool.TrySchedule("a", [&, tries = 0]() mutable {
        ++runs;
        return ++tries == 2;
      });
    }
  }
  EXPECT_EQ(runs, 60);
}

TEST(WorkerPoolTest, ScheduledWorkIsDoneBeforeThePoolIsDestroyedOrIdle) {
  std::atomic<int> done{0};
  {
    WorkerPool pool({.threads = 2});
    for (int i = 0; i < 1000; ++i) pool.Schedule(absl::StrCat(i % 10), [&] { ++done; });
    pool.AwaitIdle();
    EXPECT_EQ(done, 1000);
    for (int i = 0; i < 1000; ++i) pool.Schedule(absl::StrCat(i % 10), [&] { ++done; });
  }
  EXPECT_EQ(done, 2000);
}

TEST(WorkerPoolTest, WhenTooManyWaitNoMoreAreTakenButStartedWorkContinues) {
  std::atomic<int> done{0};
  {
    WorkerPool pool({.threads = 1, .max_queued = 2});
    BusyThreads busy(&pool);
    EXPECT_TRUE(pool.TrySchedule("a", Done([&] { ++done; })));
    EXPECT_TRUE(pool.TrySchedule("b", Done([&] { ++done; })));
    EXPECT_FALSE(pool.TrySchedule("c", Done([&] { done += 100; })));
    pool.Schedule("c", [&] { ++done; });
    busy.Release();
  }
  EXPECT_EQ(done, 3);
}

TEST(WorkerPoolTest, ALaneLeavesRoomForOthers) {
  WorkerPool pool({.threads = 1, .max_queued = 100});
  BusyThreads busy(&pool);
  int taken = 0;
  while (pool.TrySchedule("hog", Done([] {}))) ++taken;
  EXPECT_EQ(taken, 50);
  EXPECT_TRUE(pool.TrySchedule("other", Done([] {})));
  busy.Release();
}

TEST(WorkerPoolTest, ACallerWithTheirPartIsRefusedByNameAndOthersAndServicesAreServed) {
  std::latch begun(1), release(1);
  std::atomic<int> done{0};
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=3").ok());
  {
    WorkerPool pool({.threads = 1, .max_queued = 9, .parts = parts});
    const auto schedule = [&](const quotas::Holder& caller, std::function<void()> work) {
      return pool.TrySchedule(caller, caller.name, Done(std::move(work)));
    };
    const auto count = [&] { ++done; };
    ASSERT_TRUE(schedule({"user:fay"}, [&] {
                  begun.count_down();
                  release.wait();
                }).ok());
    begun.wait();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(schedule({"user:fay"}, count).ok());
    // What runs counts as well as what waits.
    const absl::Status refused = schedule({"user:fay"}, [&] { done += 100; });
    EXPECT_EQ(refused.message(),
              "calls: got 4 of user:fay, want at most 3 of one caller (--quota=calls=N); await the "
              "answers of other calls, and retry");
    EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
    EXPECT_TRUE(errors::RetryDelayOf(refused).has_value());
    EXPECT_TRUE(schedule({"user:bob"}, count).ok());
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(schedule({absl::StrCat("tls:frontend", i), "", true}, count).ok());
      EXPECT_TRUE(schedule({absl::StrCat("tls:dashboard", i), "", true}, count).ok());
    }
    EXPECT_EQ(errors::ReasonOf(schedule({"tls:frontend", "", true}, [&] { done += 100; })),
              "QUOTA_EXCEEDED");
    release.count_down();
  }
  EXPECT_EQ(done, 9);
}

TEST(WorkerPoolTest, ACallerWithTheirPartIsRefusedByNameAndOthersAreServedInTheSameLane) {
  std::latch begun(1), release(1);
  std::atomic<int> done{0};
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=2").ok());
  {
    WorkerPool pool({.threads = 1, .max_queued = 100, .parts = parts, .one_at_a_time = true});
    ASSERT_TRUE(pool.TrySchedule({"user:fay"}, "c", Done([&] {
                                   begun.count_down();
                                   release.wait();
                                 }))
                    .ok());
    begun.wait();
    const WorkerPool::Work count = Done([&] { ++done; });
    EXPECT_TRUE(pool.TrySchedule({"user:fay"}, "d", count).ok());
    const absl::Status refused = pool.TrySchedule({"user:fay"}, "d", count);
    EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
    EXPECT_EQ(refused.message(),
              "calls: got 3 of user:fay, want at most 2 of one caller (--quota=calls=N); await the "
              "answers of other calls, and retry");
    EXPECT_TRUE(pool.TrySchedule({"user:bob"}, "d", count).ok());
    release.count_down();
  }
  EXPECT_EQ(done, 2);
}

TEST(WorkerPoolTest, ACallThatHasRunGivesItsPlaceBackAndOneThatIsNotTakenToo) {
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=1").ok());
  WorkerPool pool({.threads = 1, .max_queued = 0, .parts = parts});
  EXPECT_EQ(errors::ReasonOf(pool.TrySchedule({"user:fay"}, "fay", Done([] {}))), "SERVER_BUSY");
  EXPECT_EQ(pool.usage().used, 0u);
  WorkerPool other({.threads = 1, .max_queued = 5, .parts = parts});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(other.TrySchedule({"user:fay"}, "fay", Done([] {})).ok()) << i;
    other.AwaitIdle();
    EXPECT_EQ(other.usage().used, 0u);
  }
}

TEST(WorkerPoolTest, ItsActivityCountsBusyThreadsAndWaitingWorkOfAllLanes) {
  WorkerPool pool({.threads = 2});
  BusyThreads busy(&pool);
  for (const char* lane : {"a", "b", "b"}) pool.Schedule(lane, [] {});
  EXPECT_EQ(pool.activity().threads, 2);
  EXPECT_EQ(pool.activity().busy, 2);
  EXPECT_EQ(pool.activity().queued, 3u);
  busy.Release();
  pool.AwaitIdle();
  EXPECT_EQ(pool.activity().busy, 0);
  EXPECT_EQ(pool.activity().queued, 0u);
}

TEST(WorkerPoolTest, ThreadsInTheBackgroundHaveALowerPriorityThanOthers) {
  const auto nice_of = [](bool in_background) {
    int nice = 0;
    WorkerPool pool({.threads = 1, .in_background = in_background});
    pool.Schedule("a", [&] { nice = getpriority(PRIO_PROCESS, 0); });
    pool.AwaitIdle();
    return nice;
  };
  const int own = getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(nice_of(false), own);
  EXPECT_GT(nice_of(true), own);
}

}  // namespace
}  // namespace priorityd::rpc
