#include "storage/retention_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/association_store.h"
#include "storage/ledger_store.h"
#include "storage/qos_store.h"
#include "storage/usage_reset_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// Hours of a day in 2023, with fractions.
absl::Time Hour(double hour) { return absl::FromUnixSeconds(1'700'006'400) + absl::Hours(hour); }

// As stored; the number of the association instead of its id.
struct Bucket {
  size_t association = 0;
  std::string user_name;
  std::optional<int64_t> qos_id;
  double usage_factor = 1;
  absl::Time begins_at, start_time, end_time;
  std::vector<TresAmount> tres_seconds;
  double billing_seconds = 0, wall_seconds = 0;
  int64_t records = 0;
  bool operator==(const Bucket&) const = default;
};

void PrintTo(const Bucket& b, std::ostream* out) {
  *out << "{association " << b.association << " user " << b.user_name << " qos "
       << b.qos_id.value_or(0) << " factor " << b.usage_factor << " at " << b.begins_at << " from "
       << b.start_time << " to " << b.end_time << " billing " << b.billing_seconds << " wall "
       << b.wall_seconds << " records " << b.records;
  for (const TresAmount& t : b.tres_seconds) *out << " " << t.tres_id << "=" << t.amount;
  *out << "}";
}

struct BucketRow {
  int64_t association_id = 0;
  Bucket bucket;
};

BucketRow DecodeRow(RowReader& row) {
  BucketRow decoded;
  Bucket& b = decoded.bucket;
  row.Read(&decoded.association_id, &b.user_name, &b.qos_id, &b.usage_factor, &b.begins_at,
           &b.start_time, &b.end_time, &b.tres_seconds, &b.billing_seconds, &b.wall_seconds,
           &b.records);
  return decoded;
}

class RetentionStoreTest : public StoreTest {
 protected:
  static constexpr size_t kAssociations = 4;

  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& transaction) {
      AssociationStore store(transaction);
      associations_ = store.ReserveIds(kAssociations).value();
      std::vector<Association> rows(kAssociations);
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = {.id = associations_[i], .cluster_id = cluster_.id};
        rows[i].account = i == 0 ? "root" : absl::StrCat("account", i);
        if (i > 0) rows[i].parent_id = associations_[0];
      }
      qos_ = QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = "q"}).value();
      return store.Insert(rows);
    }));
    plan_.cluster_id = cluster_.id;
    plan_.hour = Hour(0);
  }

  // One CPU and 10 MB at a billing rate of 3.
  UsageRecord Record(const std::string& record_id, absl::Time start, absl::Time end,
                     size_t association = 1) {
    UsageRecord record;
    record.submitted.source = "s";
    record.submitted.record_id = record_id;
    record.submitted.user_name = "u";
    record.submitted.start_time = start;
    record.submitted.end_time = end;
    record.submitted.tres = {{1, 1}, {2, 10}};
    record.association_id = associations_[association];
    record.billing_rate = 3;
    return record;
  }

  std::vector<AppendOutcome> Append(const std::vector<UsageRecord>& batch) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    std::vector<AppendOutcome> outcomes;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto done = LedgerStore(transaction)
                      .Append(
                          cluster_.id, records, [](Settlement&) { return absl::OkStatus(); },
                          plan_.horizon);
      if (done.ok()) outcomes = *std::move(done);
      return done.status();
    }));
    return outcomes;
  }

  // Moves the horizon and rolls everything up; returns how many records went.
  int64_t RollUp(absl::Time horizon) {
    plan_.horizon = horizon;
    EXPECT_OK(Write([&](Transaction& transaction) {
      return RetentionStore(transaction).MoveHorizon(cluster_.id, horizon).status();
    }));
    int64_t records = 0;
    for (int64_t before = -1; before != records;) {
      before = records;
      int64_t next = 0;
      do {
        const RollUpStep step = Step(next);
        next = step.next_association_id;
        records += step.records;
        ++steps_;
      } while (next > 0);
    }
    return records;
  }

  RollUpStep Step(int64_t association_id) {
    RollUpStep step;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto done = RetentionStore(transaction).RollUp(plan_, association_id);
      if (done.ok()) step = done->value();
      return done.status();
    }));
    return step;
  }

  std::vector<Bucket> Buckets() {
    auto rows = Read([&](Transaction& t) {
      return t.Query(DecodeRow,
                     "SELECT association_id, user_name, qos_id, usage_factor, begins_at, "
                     "start_time, end_time, tres_ids, tres_seconds, billing_seconds, wall_seconds, "
                     "records FROM priorityd.usage_bucket ORDER BY association_id, begins_at, "
                     "user_name, qos_id NULLS FIRST, usage_factor");
    });
    std::vector<Bucket> buckets;
    for (BucketRow& row : *rows) {
      const auto at = std::find(associations_.begin(), associations_.end(), row.association_id);
      row.bucket.association = static_cast<size_t>(at - associations_.begin());
      buckets.push_back(row.bucket);
    }
    return buckets;
  }

  // Of one association's records of Record().
  static Bucket BucketOf(absl::Time begins_at, absl::Time start, absl::Time end, double seconds,
                         int64_t records) {
    return {.association = 1,
            .user_name = "u",
            .begins_at = begins_at,
            .start_time = start,
            .end_time = end,
            .tres_seconds = {{1, seconds}, {2, 10 * seconds}},
            .billing_seconds = 3 * seconds,
            .wall_seconds = seconds,
            .records = records};
  }

  std::vector<std::string> InLedger() {
    auto entries = Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, 0, 1000); });
    std::vector<std::string> ids;
    for (const LedgerEntry& entry : *entries) ids.push_back(entry.record.submitted.record_id);
    return ids;
  }

  RollUpPlan plan_{.horizon = absl::InfinitePast()};
  std::vector<int64_t> associations_;
  int64_t qos_ = 0;
  int steps_ = 0;
};

TEST_F(RetentionStoreTest, ARecordIsSplitAtTheHours) {
  Append({Record("a", Hour(1.5), Hour(4.25))});
  EXPECT_EQ(RollUp(Hour(5)), 1);
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{
                           BucketOf(Hour(1), Hour(1.5), Hour(2), 1800, 0),
                           BucketOf(Hour(2), Hour(2), Hour(3), 3600, 0),
                           BucketOf(Hour(3), Hour(3), Hour(4), 3600, 0),
                           BucketOf(Hour(4), Hour(4), Hour(4.25), 900, 1),
                       }));
  EXPECT_TRUE(InLedger().empty());
}

TEST_F(RetentionStoreTest, RecordsOfOneHourAreOneBucketWheneverTheyAreRolledUp) {
  UsageRecord gpu = Record("c", Hour(1.75), Hour(1.875));
  gpu.submitted.tres = {{2, 1}, {9, 8}};
  Append({Record("a", Hour(1.25), Hour(1.5)), Record("b", Hour(1.5), Hour(1.75)), gpu});
  EXPECT_EQ(RollUp(Hour(1.8)), 2);
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{BucketOf(Hour(1), Hour(1.25), Hour(1.75), 1800, 2)}));
  EXPECT_EQ(RollUp(Hour(2)), 1);
  Bucket all = BucketOf(Hour(1), Hour(1.25), Hour(1.875), 2250, 3);
  all.tres_seconds = {{1, 1800}, {2, 18450}, {9, 3600}};
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{all}));
}

TEST_F(RetentionStoreTest, UserQosAndUsageFactorHaveBucketsOfTheirOwn) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 5; ++i) records.push_back(Record(absl::StrCat(i), Hour(1), Hour(2)));
  records[1].submitted.user_name = "v";
  records[2].qos_id = qos_;
  records[3].usage_factor = 0.5;
  Append(records);
  RollUp(Hour(3));
  const Bucket two = BucketOf(Hour(1), Hour(1), Hour(2), 7200, 2);
  Bucket half = BucketOf(Hour(1), Hour(1), Hour(2), 3600, 1), qos = half, v = half;
  half.usage_factor = 0.5;
  qos.qos_id = qos_;
  v.user_name = "v";
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{half, two, qos, v}));
}

TEST_F(RetentionStoreTest, OnlyWhatEndsBeforeTheHorizonLeavesTheLedger) {
  Append({Record("before", Hour(1), Hour(2) - absl::Microseconds(1)),
          Record("at", Hour(1), Hour(2)), Record("over", Hour(1), Hour(3))});
  EXPECT_EQ(RollUp(Hour(2)), 1);
  EXPECT_EQ(InLedger(), (std::vector<std::string>{"at", "over"}));
  EXPECT_EQ(RollUp(Hour(2)), 0);
}

TEST_F(RetentionStoreTest, AReplacedRecordIsInNoBucket) {
  UsageRecord right = Record("right", Hour(1), Hour(1.5));
  right.submitted.replaces_record_id = "wrong";
  UsageRecord last = Record("last", Hour(1), Hour(1.25));
  last.submitted.replaces_record_id = "right";
  Append({Record("wrong", Hour(1), Hour(2)), right, last});
  EXPECT_EQ(RollUp(Hour(3)), 3);
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{BucketOf(Hour(1), Hour(1), Hour(1.25), 900, 1)}));
}

// Else the record that was wrong would count again.
TEST_F(RetentionStoreTest, ACorrectionStaysAsLongAsWhatItReplaces) {
  UsageRecord right = Record("right", Hour(1), Hour(1.5));
  right.submitted.replaces_record_id = "wrong";
  Append({Record("wrong", Hour(1), Hour(4)), right});
  EXPECT_EQ(RollUp(Hour(3)), 0);
  EXPECT_EQ(InLedger(), (std::vector<std::string>{"right", "wrong"}));
  EXPECT_EQ(RollUp(Hour(5)), 2);
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{BucketOf(Hour(1), Hour(1), Hour(1.5), 1800, 1)}));
}

TEST_F(RetentionStoreTest, WhatReplacesARecordBeforeTheHorizonIsTooOld) {
  Append({Record("rolled up", Hour(1), Hour(1.5)), Record("left", Hour(1), Hour(2)),
          Record("young", Hour(1), Hour(5))});
  RollUp(Hour(1));
  plan_.horizon = Hour(3);
  plan_.max_records = 1;
  Step(0);
  ASSERT_EQ(InLedger(), (std::vector<std::string>{"left", "young"}));
  std::vector<UsageRecord> corrections;
  for (const char* target : {"rolled up", "left", "never seen", "young"}) {
    corrections.push_back(Record(absl::StrCat("not ", target), Hour(1), Hour(4)));
    corrections.back().submitted.replaces_record_id = target;
  }
  using enum AppendOutcome;
  EXPECT_EQ(Append(corrections),
            (std::vector{kTargetTooOld, kTargetTooOld, kTargetTooOld, kAccepted}));
  UsageRecord late = Record("late", Hour(3), Hour(4));
  late.submitted.replaces_record_id = "never seen";
  EXPECT_EQ(Append({late}), (std::vector{kUnknownTarget}));
}

TEST_F(RetentionStoreTest, HoursAreThoseOfTheTimeZone) {
  plan_.hour = Hour(7.5);
  Append({Record("a", Hour(1.25), Hour(2.5))});
  RollUp(Hour(5));
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{
                           BucketOf(Hour(0.5), Hour(1.25), Hour(1.5), 900, 0),
                           BucketOf(Hour(1.5), Hour(1.5), Hour(2.5), 3600, 1),
                       }));
}

TEST_F(RetentionStoreTest, ResetsCutTheirHour) {
  ASSERT_OK(Write([&](Transaction& t) {
    return UsageResetStore(t).Append(cluster_.id, {associations_[1]}, Hour(2.25));
  }));
  plan_.reset = Hour(1.5);
  Append({Record("a", Hour(1), Hour(3)), Record("b", Hour(1), Hour(2), 2)});
  RollUp(Hour(5));
  Bucket before = BucketOf(Hour(1), Hour(1), Hour(1.5), 1800, 0);
  Bucket after = BucketOf(Hour(1.5), Hour(1.5), Hour(2), 1800, 1);
  before.association = after.association = 2;
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{
                           BucketOf(Hour(1), Hour(1), Hour(2), 3600, 0),
                           BucketOf(Hour(2), Hour(2), Hour(2.25), 900, 0),
                           BucketOf(Hour(2.25), Hour(2.25), Hour(3), 2700, 1),
                           before,
                           after,
                       }));
}

TEST_F(RetentionStoreTest, ARecordWithoutLengthIsCounted) {
  UsageRecord empty = Record("a", Hour(2), Hour(2));
  empty.submitted.tres.clear();
  Append({empty});
  EXPECT_EQ(RollUp(Hour(3)), 1);
  Bucket bucket = BucketOf(Hour(2), Hour(2), Hour(2), 0, 1);
  bucket.tres_seconds.clear();
  EXPECT_EQ(Buckets(), (std::vector<Bucket>{bucket}));
}

TEST_F(RetentionStoreTest, TheHorizonNeverMovesBack) {
  EXPECT_EQ(*Read([&](Transaction& t) { return RetentionStore(t).Horizon(cluster_.id); }),
            absl::InfinitePast());
  for (const auto& [to, moves] : {std::pair(3, true), {2, false}, {3, false}, {4, true}}) {
    bool moved = !moves;
    ASSERT_OK(Write([&](Transaction& t) {
      auto done = RetentionStore(t).MoveHorizon(cluster_.id, Hour(to));
      if (done.ok()) moved = *done;
      return done.status();
    }));
    EXPECT_EQ(moved, moves) << to;
  }
  EXPECT_EQ(*Read([&](Transaction& t) { return RetentionStore(t).Horizon(cluster_.id); }), Hour(4));
}

TEST_F(RetentionStoreTest, AStepIsBoundedByRecordsAndByPieces) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(Record(absl::StrCat(i), Hour(i), Hour(i + 0.5)));
  for (int i = 10; i < 13; ++i) records.push_back(Record(absl::StrCat(i), Hour(0), Hour(20), 2));
  Append(records);
  plan_.horizon = Hour(24);
  plan_.max_records = 4;
  plan_.max_pieces = 20;
  RollUpStep step = Step(0);
  EXPECT_EQ(step.records, 4);
  EXPECT_EQ(step.next_association_id, associations_[1]);
  EXPECT_EQ(Step(step.next_association_id).records, 4);
  step = Step(step.next_association_id);
  EXPECT_EQ(step.records, 3);  // Two, and a long one.
  EXPECT_EQ(step.next_association_id, associations_[2]);
  EXPECT_EQ(Step(associations_[2]).records, 1);
  step = Step(associations_[2]);
  EXPECT_EQ(step.records, 1);
  EXPECT_EQ(step.next_association_id, 0);
}

TEST_F(RetentionStoreTest, AStepIsBoundedByAssociations) {
  Append({Record("a", Hour(1), Hour(2), kAssociations - 1)});
  plan_.horizon = Hour(3);
  plan_.max_associations = 3;
  const RollUpStep first = Step(0);
  EXPECT_EQ(first.records, 0);
  EXPECT_GT(first.next_association_id, associations_[2]);
  const RollUpStep second = Step(first.next_association_id);
  EXPECT_EQ(second.records, 1);
  EXPECT_EQ(second.next_association_id, 0);
}

TEST_F(RetentionStoreTest, TwoAtOnceLeaveItToOne) {
  Append({Record("a", Hour(1), Hour(2))});
  plan_.horizon = Hour(3);
  ASSERT_OK(Write([&](Transaction& first) {
    EXPECT_EQ(RetentionStore(first).RollUp(plan_, 0)->value().records, 1);
    return Write([&](Transaction& second) {
      EXPECT_FALSE(RetentionStore(second).RollUp(plan_, 0)->has_value());
      return absl::OkStatus();
    });
  }));
}

TEST_F(RetentionStoreTest, AnotherClusterIsLeftAlone) {
  Append({Record("a", Hour(1), Hour(2))});
  plan_.horizon = Hour(3);
  plan_.cluster_id = cluster_.id + 1;
  EXPECT_EQ(Step(0).records, 0);
  EXPECT_EQ(InLedger().size(), 1u);
}

using Key = std::tuple<size_t, std::string, int64_t, double, int64_t>;
struct Sums {
  double wall = 0, billing = 0;
  std::map<int32_t, double> tres;
};

// By the definition: a second at a time would be the same but slower.
void AddNaively(const UsageRecord& record, size_t association, std::map<Key, Sums>* sums) {
  const absl::Time end = record.submitted.end_time;
  for (absl::Time from = record.submitted.start_time; from < end;) {
    const int64_t hour = absl::ToUnixSeconds(from) / 3600;
    const absl::Time to = std::min(end, absl::FromUnixSeconds((hour + 1) * 3600));
    const double seconds = absl::ToDoubleSeconds(to - from);
    Sums& sum = (*sums)[{association, record.submitted.user_name, record.qos_id.value_or(0),
                         record.usage_factor, hour}];
    sum.wall += seconds;
    sum.billing += seconds * record.billing_rate;
    for (const TresAmount& t : record.submitted.tres) sum.tres[t.tres_id] += seconds * t.amount;
    from = to;
  }
}

TEST_F(RetentionStoreTest, BucketsAndLedgerTogetherAreWhatWasAppended) {
  std::mt19937 random(20261120);
  std::map<Key, Sums> want;
  std::vector<UsageRecord> records;
  int64_t count = 0;
  for (int i = 0; i < 2000; ++i) {
    const absl::Time start = Hour(0) + absl::Microseconds(random() % 172'800 * 1'000'003);
    const size_t association = random() % kAssociations;
    records.push_back(
        Record(absl::StrCat(i), start, start + absl::Seconds(random() % 20'000), association));
    UsageRecord& record = records.back();
    record.submitted.user_name = absl::StrCat("u", random() % 3);
    if (random() % 2 == 0) record.qos_id = qos_;
    record.usage_factor = random() % 3 * 0.5;
    record.submitted.tres = {{static_cast<int32_t>(1 + random() % 4), 0.1 * (random() % 100)}};
    record.billing_rate = 0.01 * (random() % 1000);
    if (random() % 4 == 0 && i > 0) {
      record.submitted.replaces_record_id = absl::StrCat(i - 1);
      continue;
    }
  }
  for (int i = 0; i < 2000; ++i) {
    const bool replaced = i + 1 < 2000 && !records[i + 1].submitted.replaces_record_id.empty();
    if (replaced) continue;
    ++count;
    const auto at =
        std::find(associations_.begin(), associations_.end(), records[i].association_id);
    AddNaively(records[i], static_cast<size_t>(at - associations_.begin()), &want);
  }
  Append(records);
  plan_.max_records = 100;
  plan_.max_pieces = 300;
  plan_.max_associations = 2;
  int64_t rolled_up = 0;
  for (double horizon : {5., 6., 20.5, 60.}) rolled_up += RollUp(Hour(horizon));
  EXPECT_EQ(rolled_up, 2000);
  EXPECT_GT(steps_, 20);
  EXPECT_TRUE(InLedger().empty());

  int64_t counted = 0;
  for (const Bucket& bucket : Buckets()) {
    counted += bucket.records;
    const Key key = {bucket.association, bucket.user_name, bucket.qos_id.value_or(0),
                     bucket.usage_factor, absl::ToUnixSeconds(bucket.begins_at) / 3600};
    if (bucket.wall_seconds == 0) continue;
    ASSERT_TRUE(want.contains(key)) << testing::PrintToString(bucket);
    const Sums& sums = want[key];
    EXPECT_NEAR(bucket.wall_seconds, sums.wall, 1e-9 * sums.wall);
    EXPECT_NEAR(bucket.billing_seconds, sums.billing, 1e-9 * sums.billing);
    for (const TresAmount& t : bucket.tres_seconds) {
      EXPECT_NEAR(t.amount, sums.tres.at(t.tres_id), 1e-9 * t.amount);
    }
    EXPECT_EQ(bucket.tres_seconds.size(), sums.tres.size());
    want.erase(key);
  }
  EXPECT_EQ(counted, count);
  EXPECT_TRUE(want.empty());
}

}  // namespace
}  // namespace priorityd::storage
