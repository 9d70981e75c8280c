// Keys begin with the cluster, and how a database that has others comes to them beside traffic.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/substitute.h"
#include "absl/types/span.h"
#include "storage/database/database.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/retention_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/schema/migration.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/store_test.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

constexpr char kOtherKeys[] =
    "SELECT k.relname FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid "
    "JOIN pg_namespace n ON n.oid = k.relnamespace "
    "LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
    "WHERE n.nspname = 'priorityd' AND i.indisunique AND a.attname IS DISTINCT FROM 'cluster_id' "
    "ORDER BY 1";

// What is of no cluster, and why.
const std::map<std::string, const char*>& GlobalKeys() {
  static const auto* const keys = new std::map<std::string, const char*>{
      {"cluster_pkey", "the clusters themselves"},
      {"cluster_name_key", "they are found by their names"},
      {"cluster_move_pkey", "by name: the cluster may be in the other database"},
      {"cluster_move_local_id", "its id is the cluster's"},
      {"cluster_move_progress_pkey", "of a move, which has a name"},
      {"cluster_move_tres_pkey", "of a move, which has a name"},
      {"published_cluster_pkey", "its id is the cluster's"},
      {"principal_pkey", "who records may do so in several clusters"},
      {"principal_name_key", "who records may do so in several clusters"},
      {"tres_pkey", "names of TRES have one number everywhere"},
      {"tres_name_key", "names of TRES have one number everywhere"},
      {"leader_lease_pkey", "one replica leads all clusters"},
      {"leader_lease_epoch_key", "one replica leads all clusters"},
      {"recalculation_request_pkey", "asked by a name, which may be none's; gone in a minute"},
      {"replica_pkey", "each serves all clusters"},
      {"schema_migration_pkey", "the schema itself"},
  };
  return *keys;
}

TEST(ClusterKeysTest, EveryKeyBeginsWithTheClusterButForThoseOfNone) {
  Database database({.url = NewTestDatabase()});
  const auto keys =
      database.Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kOtherKeys); });
  ASSERT_OK(keys);
  for (const std::string& key : *keys) {
    EXPECT_TRUE(GlobalKeys().contains(key)) << key << " does not begin with cluster_id";
  }
  EXPECT_EQ(keys->size(), GlobalKeys().size());
}

// A database as a program left it that knew migrations up to 0015.
constexpr int kOld = 15;
constexpr char kOldRows[] =
    "INSERT INTO priorityd.cluster (name) VALUES ('c'), ('d'); "
    "INSERT INTO priorityd.association (cluster_id, account) VALUES (1, 'root'), (2, 'root'); "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name) "
    "SELECT 1, 1, 'a', 'u' || i FROM generate_series(1, 20) AS i; "
    "INSERT INTO priorityd.qos (cluster_id, name) VALUES (1, 'q'); "
    "INSERT INTO priorityd.partition (cluster_id, name) VALUES (1, 'p'); "
    "INSERT INTO priorityd.audit_event (cluster_id, principal, action, object) "
    "VALUES (1, '', '', ''), (NULL, '', '', ''); "
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value) "
    "SELECT id, 1, id FROM priorityd.association WHERE user_name <> ''; "
    "INSERT INTO priorityd.qos_usage (qos_id, cluster_id) VALUES (1, 1); "
    "INSERT INTO priorityd.opening_usage (association_id, cluster_id, value, as_of) "
    "VALUES (3, 1, 5, '2025-01-01'); "
    "INSERT INTO priorityd.usage_bucket (cluster_id, association_id, qos_id, user_name, "
    "usage_factor, begins_at, start_time, end_time, tres_ids, tres_seconds, billing_seconds, "
    "wall_seconds, records) VALUES (1, 3, NULL, 'u1', 1, '2026-01-01 00:00', '2026-01-01 00:00', "
    "'2026-01-01 00:30', '{1}', '{1000}', 1000, 1000, 7)";
// $0: from which record on. 1000 records of ten minutes, of which each tenth replaces the one
// before.
constexpr char kOldRecords[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT 1, 's', i::text, i::text, "
    "'u' || 1 + i % 20, 'a', '', '', begins, begins + interval '10 minutes', '{1}', '{2}', "
    "CASE WHEN i % 10 = 9 THEN (i - 1)::text ELSE '' END, 3 + i % 20, 2, 1 FROM (SELECT i, "
    "timestamptz '2026-01-01' + i % 48 * interval '30 minutes' AS begins "
    "FROM generate_series($0::bigint, $0 + 999) AS i) AS r";
// What a program of before does while it records, by the keys it knows.
constexpr char kOldUpsert[] =
    "INSERT INTO priorityd.association_usage (association_id, cluster_id) VALUES (1, 1) "
    "ON CONFLICT (association_id) DO NOTHING";
constexpr char kOldBucket[] =
    "INSERT INTO priorityd.usage_bucket (cluster_id, association_id, qos_id, user_name, "
    "usage_factor, begins_at, start_time, end_time, tres_ids, tres_seconds, billing_seconds, "
    "wall_seconds, records) VALUES (1, 3, NULL, 'u1', 1, '2026-01-01 00:00', '2026-01-01 00:00', "
    "'2026-01-01 00:30', '{1}', '{1000}', 1000, 1000, 7) "
    "ON CONFLICT ON CONSTRAINT usage_bucket_hour DO NOTHING";
constexpr char kRecords[] =
    "SELECT (SELECT count(*) FROM priorityd.counted_usage) + "
    "(SELECT sum(records)::bigint FROM priorityd.usage_bucket)";
constexpr char kBillingSeconds[] =
    "SELECT ((SELECT coalesce(sum(billing_rate * date_part('epoch', end_time - start_time)), 0) "
    "FROM priorityd.counted_usage) + (SELECT sum(billing_seconds) FROM priorityd.usage_bucket))"
    "::bigint";
constexpr char kInvalid[] =
    "SELECT k.relname FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid "
    "WHERE NOT indisvalid";
constexpr char kKillBuild[] =
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND query LIKE 'CREATE UNIQUE INDEX CONCURRENTLY%'";

class OldDatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(Migrate(database_, AllMigrations().first(kOld)));
    Run(kOldRows);
    AppendOldRecords();
  }

  void Run(const std::string& sql) {
    EXPECT_OK(database_.Write([&](Transaction& t) { return t.ExecuteScript(sql.c_str()); })) << sql;
  }
  void AppendOldRecords() {
    Run(absl::Substitute(kOldRecords, 1000 * ++thousands_));
    records_ += 900;
  }
  int64_t Number(const char* sql) {
    return database_.Read([&](Transaction& t) { return t.QueryOne(OnlyColumn<int64_t>, sql); })
        .value();
  }
  absl::Status MigrateAll(bool contract = false) {
    return Migrate(database_, AllMigrations(), {.contract = contract});
  }

  // Rolls up everything in small steps.
  void RollUp() {
    RollUpPlan plan{.cluster_id = 1, .horizon = absl::FromUnixSeconds(2'000'000'000)};
    plan.hour = absl::UnixEpoch();
    plan.max_records = 300;
    for (int walk = 0; walk < 2; ++walk) {
      RollUpStep step;
      do {
        ASSERT_OK(database_.Write([&](Transaction& t) {
          auto done = RetentionStore(t).RollUp(plan, step.last);
          if (done.ok()) step = done->value();
          return done.status();
        }));
      } while (step.more);
    }
    EXPECT_EQ(Number("SELECT count(*) FROM priorityd.usage_record"), 0);
  }
  // Of the bucket that was there, and of records that are not replaced.
  void ExpectAllCounted() {
    EXPECT_EQ(Number(kRecords), 7 + records_);
    EXPECT_EQ(Number(kBillingSeconds), 1000 + records_ * 600 * 2);
  }

  const std::string url_ = NewEmptyTestDatabase();
  Database database_{{.url = url_}};
  std::atomic<int> thousands_ = 0;
  std::atomic<int64_t> records_ = 0;
};

TEST_F(OldDatabaseTest, KeepsEveryRowWhileAnOldProgramRecords) {
  std::atomic<bool> stop = false;
  std::thread old_program([&] {
    do {
      AppendOldRecords();
      Run(kOldUpsert);
      Run(kOldBucket);
    } while (!stop);
  });
  EXPECT_OK(MigrateAll());
  stop = true;
  old_program.join();
  ExpectAllCounted();
  // The old program goes on, and a new one beside it.
  AppendOldRecords();
  Run(kOldUpsert);
  Run(kOldBucket);
  RollUp();
  ExpectAllCounted();
  EXPECT_OK(MigrateAll(/*contract=*/true));
  ExpectAllCounted();
  const auto usage = database_.Write([](Transaction& t) {
    return UsageStore(t).Lock(UsageOf::kAssociation, 1, {1, 3, 4});
  });
  ASSERT_OK(usage);
  EXPECT_EQ(usage->at(1).value, 3);
}

TEST_F(OldDatabaseTest, AMigrationThatIsKilledHalfwayIsFinishedByTheNext) {
  HeldLock written(url_, absl::Substitute(kOldRecords, 1'000'000));
  absl::Status killed;
  std::thread migration([&] { killed = MigrateAll(); });
  written.AwaitWaiters();
  Run(kKillBuild);
  migration.join();
  EXPECT_FALSE(killed.ok());
  EXPECT_EQ(
      database_.Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kInvalid); })
          .value(),
      (std::vector<std::string>{"usage_record_key"}));
  written.Release();
  records_ += 900;
  EXPECT_OK(MigrateAll(/*contract=*/true));
  EXPECT_TRUE(
      database_.Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kInvalid); })
          ->empty());
  RollUp();
  ExpectAllCounted();
}

}  // namespace
}  // namespace priorityd::storage
