#include "storage/ledger/retention_store.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/cluster_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/usage_reset_store.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

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

TEST_F(RetentionStoreTest, WhatIsRolledUpIsFoundNoMore) {
  const std::vector<UsageRecord> records = {Record("rolled up", Hour(1), Hour(1.5)),
                                            Record("left", Hour(1), Hour(2)),
                                            Record("young", Hour(1), Hour(5))};
  Append(records);
  RollUp(Hour(1));
  plan_.horizon = Hour(3);
  plan_.max_records = 1;
  Step();
  ASSERT_EQ(InLedger(), (std::vector<std::string>{"left", "young"}));
  std::vector<RecordKey> keys;
  for (const UsageRecord& record : records) keys.push_back(KeyOf(record.submitted));
  const auto held = Read([&](Transaction& t) { return LedgerStore(t).Find(cluster_.id, keys); });
  ASSERT_EQ(held->size(), 2u);
  EXPECT_FALSE(held->at(0).record == records[0] || held->at(1).record == records[0]);
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

TEST_F(RetentionStoreTest, ResetsOfTheAssociationAndOfTheQosBothCutTheirHour) {
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    std::vector<Qos> all = QosStore(t).List(cluster_.id).value();
    all[0].usage_reset_at = Hour(2.5);
    if (absl::Status s = QosStore(t).Update(all[0]); !s.ok()) return s;
    return UsageResetStore(t).Append(cluster_.id, {associations_[1]}, Hour(2.25));
  }));
  UsageRecord record = Record("a", Hour(2), Hour(3));
  record.qos_id = qos_;
  UsageRecord without_length = Record("b", Hour(2.5), Hour(2.5));
  without_length.qos_id = qos_;
  Append({record, without_length});
  RollUp(Hour(5));
  std::vector<Bucket> want = {BucketOf(Hour(2), Hour(2), Hour(2.25), 900, 0),
                              BucketOf(Hour(2.25), Hour(2.25), Hour(2.5), 900, 0),
                              BucketOf(Hour(2.5), Hour(2.5), Hour(3), 1800, 2)};
  for (Bucket& bucket : want) bucket.qos_id = qos_;
  EXPECT_EQ(Buckets(), want);
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
  std::vector<int64_t> moved;
  RollUpStep step;
  do {
    step = Step(step.last);
    moved.push_back(step.records);
  } while (step.more);
  // Two and a long one, then one long one at a time.
  EXPECT_EQ(moved, (std::vector<int64_t>{4, 4, 3, 1, 1}));
  EXPECT_EQ(step.last.end_time, Hour(20));
}

TEST_F(RetentionStoreTest, AStepContinuesAmongRecordsOfOneEnd) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(Record(absl::StrCat(i), Hour(1), Hour(2), i % 3));
  Append(records);
  plan_.horizon = Hour(3);
  plan_.max_records = 4;
  const RollUpStep first = Step();
  EXPECT_EQ(first.last.end_time, Hour(2));
  const RollUpStep second = Step(first.last);
  const RollUpStep third = Step(second.last);
  EXPECT_EQ(first.records + second.records + third.records, 10);
  EXPECT_FALSE(third.more);
}

// Otherwise a walk over many records that stay would begin again for ever.
TEST_F(RetentionStoreTest, AStepContinuesAfterCorrectionsThatStay) {
  UsageRecord right = Record("right", Hour(1), Hour(1.5));
  right.submitted.replaces_record_id = "wrong";
  Append({Record("wrong", Hour(1), Hour(2)), right, Record("other", Hour(1), Hour(1.75))});
  plan_.horizon = Hour(3);
  plan_.max_records = 1;
  RollUpStep step = Step();
  EXPECT_EQ(step.stayed, 1);
  EXPECT_EQ(step.records, 0);
  EXPECT_TRUE(step.more);
  step = Step(step.last);
  EXPECT_EQ(step.records, 1);
  EXPECT_EQ(InLedger(), (std::vector<std::string>{"right", "wrong"}));
  EXPECT_EQ(Step(step.last).records, 1);
  EXPECT_EQ(Step().records, 1);
  EXPECT_TRUE(InLedger().empty());
}

TEST_F(RetentionStoreTest, TwoAtOnceLeaveItToOne) {
  Append({Record("a", Hour(1), Hour(2))});
  plan_.horizon = Hour(3);
  ASSERT_OK(Write([&](Transaction& first) {
    EXPECT_EQ(RetentionStore(first).RollUp(plan_, {})->value().records, 1);
    return Write([&](Transaction& second) {
      EXPECT_FALSE(RetentionStore(second).RollUp(plan_, {})->has_value());
      return absl::OkStatus();
    });
  }));
}

TEST_F(RetentionStoreTest, AnotherClusterIsLeftAlone) {
  Append({Record("a", Hour(1), Hour(2))});
  plan_.horizon = Hour(3);
  plan_.cluster_id = cluster_.id + 1;
  EXPECT_EQ(Step().records, 0);
  EXPECT_EQ(InLedger().size(), 1u);
}

// What is past its age is deleted in steps.
class ExpiryTest : public RetentionStoreTest {
 protected:
  void Run(const std::string& sql) {
    ASSERT_OK(Write([&](Transaction& t) { return t.ExecuteScript(sql.c_str()); }));
  }
  std::vector<std::string> Query(const char* sql) {
    return Read([&](Transaction& t) { return t.Query(OnlyColumn<std::string>, sql); }).value();
  }
};

TEST_F(ExpiryTest, OldSnapshotsGoAFewAtATimeButTheNewestStays) {
  Run("INSERT INTO priorityd.snapshot (cluster_id, generation, computed_at) "
      "SELECT id, i, timestamptz '2026-01-01' + i * interval '1 hour' "
      "FROM priorityd.cluster, generate_series(1, 10) AS i");
  const auto remove = [&](absl::Time before) {
    return Write([&](Transaction& t) {
             return RetentionStore(t).DeleteSnapshots(cluster_.id, before, 4);
           })
        .value();
  };
  const absl::Time six = absl::FromCivil(absl::CivilHour(2026, 1, 1, 6), absl::UTCTimeZone());
  EXPECT_EQ(remove(six), 4);
  EXPECT_EQ(remove(six), 1);
  EXPECT_EQ(remove(six), 0);
  EXPECT_EQ(remove(absl::InfiniteFuture()), 4);
  EXPECT_EQ(remove(absl::InfiniteFuture()), 0);
  EXPECT_EQ(Query("SELECT generation::text FROM priorityd.snapshot"),
            (std::vector<std::string>{"10"}));
}

TEST_F(ExpiryTest, OldAuditEventsOfTheClusterGo) {
  Run("INSERT INTO priorityd.cluster (name) VALUES ('other'); "
      "INSERT INTO priorityd.audit_event (cluster_id, at, principal, action, object) "
      "SELECT id, timestamptz '2026-01-01' + i * interval '1 hour', '', name || i, '' "
      "FROM priorityd.cluster, generate_series(1, 3) AS i");
  const absl::Time three = absl::FromCivil(absl::CivilHour(2026, 1, 1, 3), absl::UTCTimeZone());
  EXPECT_EQ(Write([&](Transaction& t) {
              return RetentionStore(t).DeleteAuditEvents(cluster_.id, three, 10);
            }).value(),
            2);
  EXPECT_EQ(Query("SELECT action FROM priorityd.audit_event ORDER BY 1"),
            (std::vector<std::string>{"other1", "other2", "other3", "test3"}));
}

TEST_F(ExpiryTest, JobsWhoseLastCountersAreOldGoInAWalk) {
  Run("INSERT INTO priorityd.running_job (cluster_id, source, job_id, start_time, as_of) "
      "SELECT id, 's' || i % 2, i, '2025-01-01', timestamptz '2026-01-01' + i * interval '1 hour' "
      "FROM priorityd.cluster, generate_series(1, 9) AS i");
  const absl::Time six = absl::FromCivil(absl::CivilHour(2026, 1, 1, 6), absl::UTCTimeZone());
  RunningJobWalk walk;
  int steps = 0;
  while (Write([&](Transaction& t) {
           return RetentionStore(t).DeleteRunningJobs(cluster_.id, six, 2, &walk);
         }).value()) {
    ++steps;
  }
  EXPECT_EQ(steps, 5);
  EXPECT_EQ(walk.deleted, 5);
  EXPECT_EQ(Query("SELECT job_id FROM priorityd.running_job ORDER BY 1"),
            (std::vector<std::string>{"6", "7", "8", "9"}));
}

// What is looked for: records that replace others, and those that they replace.
TEST_F(RetentionStoreTest, TheRecordsOfANewClusterAreReadAFewTimes) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 1000; ++i) {
    records.push_back(Record(absl::StrCat(i), Hour(0), Hour(0.5)));
    if (i % 2 == 1) records.back().submitted.replaces_record_id = absl::StrCat(i - 1);
  }
  Append(records);
  BecomeNewCluster();
  Append(records);
  plan_.cluster_id = cluster_.id;
  plan_.horizon = Hour(1);
  const auto read = Write([&](Transaction& transaction) {
    return RowsReadBy(transaction, "priorityd.usage_record",
                      [&] { return RetentionStore(transaction).RollUp(plan_, {}).status(); });
  });
  ASSERT_OK(read);
  EXPECT_LE(*read, 4000);
}

}  // namespace
}  // namespace priorityd::storage
