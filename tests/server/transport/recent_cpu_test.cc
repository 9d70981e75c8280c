#include "server/transport/recent_cpu.h"

#include <gtest/gtest.h>

namespace priorityd::rpc {
namespace {

TEST(RecentCpuTest, WhatACallerUsedCountsUntilTheNextPeriodHasEnded) {
  absl::Time now = absl::FromUnixSeconds(1000);
  RecentCpu cpu([&] { return now; });
  EXPECT_EQ(cpu.Of("fay"), absl::ZeroDuration());
  cpu.Add("fay", absl::Milliseconds(30));
  cpu.Add("fay", absl::Milliseconds(12));
  cpu.Add("bob", absl::Milliseconds(5));
  EXPECT_EQ(cpu.Of("fay"), absl::Milliseconds(42));
  EXPECT_EQ(cpu.Of("bob"), absl::Milliseconds(5));
  now += absl::Milliseconds(1500);
  cpu.Add("fay", absl::Milliseconds(8));
  EXPECT_EQ(cpu.Of("fay"), absl::Milliseconds(50));
  now += absl::Seconds(1);
  EXPECT_EQ(cpu.Of("fay"), absl::Milliseconds(8));
  EXPECT_EQ(cpu.Of("bob"), absl::ZeroDuration());
  now += absl::Seconds(1);
  EXPECT_EQ(cpu.Of("fay"), absl::ZeroDuration());
}

TEST(RecentCpuTest, WhatWasUsedBeforeALongPauseNoLongerCounts) {
  absl::Time now = absl::FromUnixSeconds(1000);
  RecentCpu cpu([&] { return now; });
  cpu.Add("fay", absl::Milliseconds(30));
  now += absl::Seconds(2);
  EXPECT_EQ(cpu.Of("fay"), absl::ZeroDuration());
}

}  // namespace
}  // namespace priorityd::rpc
