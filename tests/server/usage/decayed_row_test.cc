#include "server/usage/decayed_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace priorityd::usage {
namespace {

const absl::Time kRowStart = absl::FromUnixSeconds(1'767'571'200);

priority::UsageDecay HalfLife(absl::Duration half_life) {
  return priority::UsageDecay({{absl::InfinitePast(), half_life}}, priority::ResetRule());
}

storage::UsageRecord Record(absl::Duration start, absl::Duration length, double cpus) {
  storage::UsageRecord record;
  record.submitted.start_time = kRowStart + start;
  record.submitted.end_time = kRowStart + start + length;
  record.submitted.tres = {{1, cpus}};
  record.billing_rate = cpus;
  record.usage_factor = 2;
  return record;
}

// The row to which all were added.
storage::UsageRow RowOf(const std::vector<storage::UsageRecord>& records, absl::Time as_of,
                        const priority::UsageDecay& decay) {
  storage::UsageRow row;
  Apply({.added = PointersTo(records)}, decay, &row);
  CarryForward(as_of, decay, &row);
  return row;
}

// The parts of the records that are before `time`.
std::vector<storage::UsageRecord> Before(absl::Time time,
                                         std::vector<storage::UsageRecord> records) {
  for (storage::UsageRecord& record : records) {
    record.submitted.start_time = std::min(record.submitted.start_time, time);
    record.submitted.end_time = std::min(record.submitted.end_time, time);
  }
  return records;
}

TEST(DecayedRowTest, ARecordAddsUsageTresAndWallTimesTheUsageFactor) {
  const storage::UsageRow row =
      RowOf({Record(absl::ZeroDuration(), absl::Seconds(10), 4)}, kRowStart + absl::Hours(1),
            priority::UsageDecay({}, priority::ResetRule()));
  EXPECT_DOUBLE_EQ(row.value, 80);
  EXPECT_DOUBLE_EQ(row.wall_seconds, 20);
  ASSERT_EQ(row.tres_seconds.size(), 1u);
  EXPECT_DOUBLE_EQ(row.tres_seconds[0].amount, 80);
}

TEST(DecayedRowTest, CarryingHalvesEverythingPerHalfLifeAndNeverGoesBack) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  storage::UsageRow row{
      .id = 1, .value = 8, .as_of = kRowStart, .tres_seconds = {{1, 4}}, .wall_seconds = 2};
  CarryForward(kRowStart + absl::Hours(1), decay, &row);
  EXPECT_DOUBLE_EQ(row.value, 4);
  EXPECT_DOUBLE_EQ(row.tres_seconds[0].amount, 2);
  EXPECT_DOUBLE_EQ(row.wall_seconds, 1);
  const storage::UsageRow before = row;
  CarryForward(kRowStart, decay, &row);
  EXPECT_EQ(row, before);
}

TEST(DecayedRowTest, ARowIsCarriedToTheNewestRecordAndTheOrderMakesNoDifference) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  const auto early = Record(absl::ZeroDuration(), absl::Seconds(10), 4);
  const auto late = Record(absl::Hours(2), absl::Seconds(20), 1);
  const storage::UsageRow row = RowOf({early, late}, absl::InfinitePast(), decay);
  EXPECT_EQ(row.as_of, late.submitted.end_time);
  const storage::UsageRow other = RowOf({late, early}, absl::InfinitePast(), decay);
  EXPECT_EQ(other.as_of, row.as_of);
  EXPECT_DOUBLE_EQ(other.value, row.value);
  storage::UsageRow one_by_one = RowOf({late}, absl::InfinitePast(), decay);
  Apply({.added = {&early}}, decay, &one_by_one);
  EXPECT_EQ(one_by_one.as_of, row.as_of);
  EXPECT_DOUBLE_EQ(one_by_one.value, row.value);
}

TEST(DecayedRowTest, WhatIsTakenOutLeavesTheOthersAndNoTraceOfRounding) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  const auto kept = Record(absl::ZeroDuration(), absl::Seconds(10), 4);
  auto replaced = Record(absl::Minutes(7), absl::Seconds(33), 0.1);
  replaced.submitted.tres = {{2, 0.1}};
  storage::UsageRow row = RowOf({kept, replaced}, kRowStart + absl::Hours(3), decay);
  Apply({.removed = {&replaced}}, decay, &row);
  const storage::UsageRow want = RowOf({kept}, kRowStart + absl::Hours(3), decay);
  EXPECT_EQ(row.as_of, want.as_of);
  EXPECT_NEAR(row.value, want.value, 1e-12 * want.value);
  EXPECT_NEAR(row.wall_seconds, want.wall_seconds, 1e-12 * want.wall_seconds);
  ASSERT_EQ(row.tres_seconds.size(), 2u);
  EXPECT_EQ(row.tres_seconds[1].amount, 0);
}

TEST(DecayedRowTest, ARowWithoutRecordsHoldsAtTheLastReset) {
  priority::ResetRule reset;
  reset.floor = kRowStart;
  storage::UsageRow row;
  Apply({}, priority::UsageDecay({}, reset), &row);
  EXPECT_EQ(row.as_of, kRowStart);
  EXPECT_EQ(row.value, 0);
}

TEST(DecayedRowTest, RecordsGoToTheRowsOfTheirAssociationAndTheirQos) {
  std::vector<storage::UsageRecord> records(3, Record(absl::ZeroDuration(), absl::Seconds(1), 1));
  records[0].association_id = 7;
  records[1].association_id = 5;
  records[1].qos_id = 2;
  records[2].association_id = 7;
  const Records all = PointersTo(records);
  const RowChanges associations =
      ChangesOf(storage::UsageOf::kAssociation, {all[0], all[1]}, {all[2]});
  ASSERT_EQ(associations.size(), 2u);
  EXPECT_EQ(associations.at(5).added, Records{all[1]});
  EXPECT_EQ(associations.at(7).added, Records{all[0]});
  EXPECT_EQ(associations.at(7).removed, Records{all[2]});
  const RowChanges qos = ChangesOf(storage::UsageOf::kQos, all);
  ASSERT_EQ(qos.size(), 1u);
  EXPECT_EQ(qos.at(2).added, Records{all[1]});
}

TEST(DecayedRowTest, RowsAgreeWhereTheySayTheSameOfOneTime) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  const auto record = Record(absl::ZeroDuration(), absl::Seconds(10), 4);
  const storage::UsageRow row = RowOf({record}, absl::InfinitePast(), decay);
  const absl::Time at = kRowStart + absl::Hours(5);
  storage::UsageRow carried = RowOf({record}, at, decay);
  EXPECT_TRUE(Agree(row, carried, {.relative = 1e-12}, decay, at));
  struct Change {
    const char* of;
    double storage::UsageRow::*amount;
  };
  for (const Change& change : {Change{"value", &storage::UsageRow::value},
                               Change{"wall", &storage::UsageRow::wall_seconds}}) {
    storage::UsageRow changed = carried;
    changed.*change.amount *= 1.001;
    EXPECT_FALSE(Agree(row, changed, {.relative = 1e-4}, decay, at)) << change.of;
    EXPECT_TRUE(Agree(row, changed, {.relative = 2e-3}, decay, at)) << change.of;
    storage::UsageRow slack{.as_of = at};
    slack.*change.amount = carried.*change.amount * 0.002;
    EXPECT_TRUE(Agree(row, changed, {.relative = 1e-12, .amounts = &slack}, decay, at))
        << change.of;
  }
  carried.tres_seconds.push_back({9, 1});
  EXPECT_FALSE(Agree(row, carried, {.relative = 1e-4}, decay, at));
}

TEST(DecayedRowTest, ALossIsWhatTheUnknownTimeOfUseMayMake) {
  const priority::UsageDecay decay = HalfLife(absl::Hours(1));
  auto average = Record(absl::ZeroDuration(), absl::Hours(1), 1);
  average.usage_factor = 1;
  const absl::Time end = average.submitted.end_time;
  const storage::UsageRow row = RowOf({average}, end, decay);
  storage::UsageRow loss;
  AddLoss(average, end, decay, &loss);
  // All of it at the end: 3600. All of it at the beginning: 1800.
  EXPECT_NEAR(loss.value, std::max(3600 - row.value, row.value - 1800), 1e-9);
  storage::UsageRow none;
  AddLoss(Record(absl::ZeroDuration(), absl::ZeroDuration(), 1), kRowStart, decay, &none);
  EXPECT_EQ(none.value, 0);
}

// Half-lives for which the way back keeps, and loses, all digits.
class RewindTest : public ::testing::TestWithParam<absl::Duration> {};

TEST_P(RewindTest, GivesWhatTheRowWouldHaveBeen) {
  const priority::UsageDecay decay = HalfLife(GetParam());
  const absl::Time time = kRowStart + absl::Hours(1);
  const std::vector<storage::UsageRecord> records = {
      Record(absl::ZeroDuration(), absl::Minutes(30), 4),  // Before.
      Record(absl::Minutes(30), absl::Hours(1), 2),        // Straddles.
      Record(absl::Hours(8), absl::Hours(1), 1)};          // After.
  const storage::UsageRow row = RowOf(records, kRowStart + absl::Hours(9), decay);
  std::vector<const storage::UsageRecord*> later;
  for (const storage::UsageRecord& record : records) {
    if (NeedsWholeLedger(row, time, decay) || record.submitted.end_time > time) {
      later.push_back(&record);
    }
  }
  const storage::UsageRow rewound = Rewind(row, time, later, decay);
  const storage::UsageRow want = RowOf(Before(time, records), time, decay);
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
