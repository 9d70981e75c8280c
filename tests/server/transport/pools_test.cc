#include "server/transport/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
