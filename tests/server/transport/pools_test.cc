#include "server/transport/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(PoolsTest, ACallerWhoHasUsedMuchCpuLatelyComputesInTheBackgroundAndOthersDoNot) {
  absl::Time now = absl::FromUnixSeconds(1000);
  Pools pools({}, {}, [&] { return now; });
  const quotas::Holder fay{.name = "user:fay"};
  EXPECT_EQ(&pools.ComputingFor(fay), &pools.computing);
  pools.recent_cpu.Add("user:fay", absl::Milliseconds(99));
  EXPECT_EQ(&pools.ComputingFor(fay), &pools.computing);
  pools.recent_cpu.Add("user:fay", absl::Milliseconds(1));
  EXPECT_EQ(&pools.ComputingFor(fay), &pools.background);
  EXPECT_EQ(&pools.ComputingFor({.name = "user:bob"}), &pools.computing);
  now += absl::Seconds(2);
  EXPECT_EQ(&pools.ComputingFor(fay), &pools.computing);
}

TEST(PoolsTest, AServiceNeverComputesInTheBackground) {
  Pools pools({}, {}, threads::RunningTime);
  pools.recent_cpu.Add("service:frontend", absl::Seconds(1));
  EXPECT_EQ(&pools.ComputingFor({.name = "service:frontend", .is_service = true}),
            &pools.computing);
}

TEST(PoolsTest, OneCallerMayUseAllCpusAndLeavesAThreadToOthers) {
  Pools pools({.cpus = 4}, {}, threads::RunningTime);
  EXPECT_EQ(pools.computing.threads(), 5);
}

// As of a call whose answer has been sent. The clock is that of the CPU that callers have used.
TEST(PoolsTest, WhatThreadsAddToIsThereUntilTheyAreJoined) {
  auto token = std::make_shared<int>();
  const std::weak_ptr<int> clock = token;
  absl::Notification begun;
  bool was_there = false;
  {
    Pools pools({}, {}, [token = std::move(token)] { return absl::UnixEpoch(); });
    ASSERT_TRUE(pools.computing.TrySchedule("user:fay", [&] {
      begun.Notify();
      absl::SleepFor(absl::Milliseconds(100));  // Meanwhile the pools are destroyed.
      was_there = !clock.expired();
      return true;
    }));
    begun.WaitForNotification();
  }
  EXPECT_TRUE(was_there);
  EXPECT_TRUE(clock.expired());
}

// As a function of a service that has sent the answer of its call.
TEST(PoolsTest, WorkThatIsLeftOfCallsEndsBeforeTheServices) {
  Pools pools({}, {}, threads::RunningTime);
  bool has_ended = false;
  {
    const IdleAtEnd idle_at_end(&pools);
    pools.storing.Schedule("fay", [&] {
      absl::SleepFor(absl::Milliseconds(100));
      has_ended = true;
    });
  }
  EXPECT_TRUE(has_ended);
}

TEST(PoolsTest, PoolsWithCallersHaveQuotasOfTheirNames) {
  quotas::Parts parts;
  ASSERT_TRUE(parts.Set("calls=1").ok());
  const Pools pools({.operating = 3, .max_queued_operations = 10}, parts, threads::RunningTime);
  std::vector<std::string> names;
  for (const quotas::Usage& usage : pools.Usages()) {
    names.push_back(usage.name);
    EXPECT_TRUE(usage.name != "calls_operating" || usage.limit == 13) << usage.limit;
  }
  for (const char* name : {"calls_computing", "calls_background", "calls_operating"}) {
    EXPECT_THAT(names, Contains(name));
  }
  EXPECT_THAT(names, Not(Contains("calls_proving")));
  EXPECT_EQ(pools.Activities().size(), 12u);
}

}  // namespace
}  // namespace priorityd::rpc
