// What the tests of the retention store share.
#ifndef PRIORITYD_TESTS_STORAGE_RETENTION_FIXTURE_H_
#define PRIORITYD_TESTS_STORAGE_RETENTION_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/retention_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {

// Hours of a day in 2023, with fractions.
inline absl::Time Hour(double hour) {
  return absl::FromUnixSeconds(1'700'006'400) + absl::Hours(hour);
}

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

inline void PrintTo(const Bucket& b, std::ostream* out) {
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

inline BucketRow DecodeRow(RowReader& row) {
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

  void Append(const std::vector<UsageRecord>& batch) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    EXPECT_OK(Write([&](Transaction& transaction) {
      return LedgerStore(transaction).Insert(cluster_.id, records);
    }));
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
      RollUpStep step;
      do {
        step = Step(step.last);
        records += step.records;
        ++steps_;
      } while (step.more);
    }
    return records;
  }

  RollUpStep Step(const LedgerPlace& place = {}) {
    RollUpStep step;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto done = RetentionStore(transaction).RollUp(plan_, place);
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

}  // namespace priorityd::storage

#endif  // PRIORITYD_TESTS_STORAGE_RETENTION_FIXTURE_H_
