#include "server/usage/usage_row.h"

#include <gtest/gtest.h>

namespace priorityd::usage {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'767'571'200);

priority::UsageDecay HalfLife(absl::Duration half_life) {
  return priority::UsageDecay({{absl::InfinitePast(), half_life}}, priority::ResetRule());
}

storage::UsageRecord Record(absl::Duration start, absl::Duration length, double cpus) {
  storage::UsageRecord record;
  record.submitted.start_time = kStart + start;
  record.submitted.end_time = kStart + start + length;
  record.submitted.tres = {{1, cpus}};
  record.billing_rate = cpus;
  record.usage_factor = 2;
  return record;
}

storage::UsageRow RowOf(const std::vector<storage::UsageRecord>& records, absl::Time as_of,
                        const priority::UsageDecay& decay) {
  storage::UsageRow row;
  CarryForward(as_of, decay, &row);
  for (const storage::UsageRecord& record : records) AddRecord(record, decay, &row);
  return row;
}

TEST(UsageRowTest, ARecordAddsUsageTresAndWallTimesTheUsageFactor) {
  const storage::UsageRow row =
      RowOf({Record(absl::ZeroDuration(), absl::Seconds(10), 4)}, kStart + absl::Hours(1),
            priority::UsageDecay({}, priority::ResetRule()));
  EXPECT_DOUBLE_EQ(row.value, 80);
  EXPECT_DOUBLE_EQ(row.wall_seconds, 20);
  ASSERT_EQ(row.tres_seconds.size(), 1u);
  EXPECT_DOUBLE_EQ(row.tres_seconds[0].amount, 80);
}

TEST(UsageRowTest, CarryingHalvesEverythingPerHalfLifeAndNeverGoesBack) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  storage::UsageRow row{
      .id = 1, .value = 8, .as_of = kStart, .tres_seconds = {{1, 4}}, .wall_seconds = 2};
  CarryForward(kStart + absl::Hours(1), decay, &row);
  EXPECT_DOUBLE_EQ(row.value, 4);
  EXPECT_DOUBLE_EQ(row.tres_seconds[0].amount, 2);
  EXPECT_DOUBLE_EQ(row.wall_seconds, 1);
  const storage::UsageRow before = row;
  CarryForward(kStart, decay, &row);
  EXPECT_EQ(row, before);
}

// Half-lives for which the way back keeps, and loses, all digits.
class RewindTest : public ::testing::TestWithParam<absl::Duration> {};

TEST_P(RewindTest, GivesWhatTheRowWouldHaveBeen) {
  const priority::UsageDecay decay = HalfLife(GetParam());
  const absl::Time time = kStart + absl::Hours(1);
  const std::vector<storage::UsageRecord> records = {
      Record(absl::ZeroDuration(), absl::Minutes(30), 4),  // Before.
      Record(absl::Minutes(30), absl::Hours(1), 2),        // Straddles.
      Record(absl::Hours(8), absl::Hours(1), 1)};          // After.
  const storage::UsageRow row = RowOf(records, kStart + absl::Hours(9), decay);
  std::vector<const storage::UsageRecord*> later;
  for (const storage::UsageRecord& record : records) {
    if (NeedsWholeLedger(row, time, decay) || record.submitted.end_time > time) {
      later.push_back(&record);
    }
  }
  const storage::UsageRow rewound = Rewind(row, time, later, decay);
  const storage::UsageRow want = RowOf(records, time, decay);
  EXPECT_EQ(rewound.as_of, time);
  EXPECT_NEAR(rewound.value / want.value, 1, 1e-9);
  EXPECT_NEAR(rewound.wall_seconds / want.wall_seconds, 1, 1e-9);
  EXPECT_NEAR(rewound.tres_seconds[0].amount / want.tres_seconds[0].amount, 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(HalfLives, RewindTest,
                         ::testing::Values(absl::Seconds(10), absl::Minutes(10), absl::Hours(1),
                                           absl::Hours(24 * 7), absl::InfiniteDuration()));

}  // namespace
}  // namespace priorityd::usage
