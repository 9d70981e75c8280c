#include "storage/schema/migration.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "storage/database/database.h"
#include "storage/database/status.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/store_test.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

constexpr char kVersions[] = "SELECT version FROM priorityd.schema_migration ORDER BY version";

std::vector<int32_t> Versions(Database& database) {
  auto versions = database.Read(
      [](Transaction& transaction) { return transaction.Query(OnlyColumn<int32_t>, kVersions); });
  EXPECT_OK(versions);
  return versions.value_or(std::vector<int32_t>());
}

bool TableExists(Database& database, const char* name) {
  auto found = database.Read([&](Transaction& transaction) {
    return transaction.Execute("SELECT 1 WHERE to_regclass($1) IS NOT NULL", {name});
  });
  EXPECT_OK(found);
  return found.value_or(0) > 0;
}

TEST(MigrationTest, FilesAreNumberedFromOneWithoutGaps) {
  int want = 0;
  for (const Migration& migration : AllMigrations()) EXPECT_EQ(migration.version, ++want);
  EXPECT_GE(want, 1);
}

TEST(MigrationTest, AnEmptyDatabaseGetsEveryVersion) {
  Database database({.url = NewEmptyTestDatabase()});
  ASSERT_OK(Migrate(database));
  EXPECT_EQ(Versions(database).size(), AllMigrations().size());
  EXPECT_TRUE(TableExists(database, "priorityd.association"));
}

TEST(MigrationTest, RunningItAgainChangesNothing) {
  Database database({.url = NewTestDatabase()});
  const std::vector<int32_t> before = Versions(database);
  ASSERT_OK(Migrate(database));
  EXPECT_EQ(Versions(database), before);
}

TEST(MigrationTest, OnlyWhatIsMissingIsApplied) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> two = {{1, "0001_a", "CREATE TABLE priorityd.a (x integer)"},
                                      {2, "0002_b", "CREATE TABLE priorityd.b (x integer)"}};
  ASSERT_OK(Migrate(database, absl::MakeConstSpan(two).first(1)));
  EXPECT_FALSE(TableExists(database, "priorityd.b"));
  ASSERT_OK(Migrate(database, two));
  EXPECT_TRUE(TableExists(database, "priorityd.b"));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 2}));
}

TEST(MigrationTest, OnlyADatabaseThatHasASchemaAndLacksAMigrationNeedsOne) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> all = {
      {1, "0001_a", "SELECT 1"},
      {2, "0002_b", "-- compatible-from: 1\nSELECT 1"},
      {3, "0003_c", "-- contracts\n-- compatible-from: 2\nSELECT 1"}};
  const absl::Span<const Migration> one = absl::MakeConstSpan(all).first(1);
  EXPECT_FALSE(*NeedsMigration(database, all));
  ASSERT_OK(Migrate(database, one));
  EXPECT_FALSE(*NeedsMigration(database, one));
  EXPECT_TRUE(*NeedsMigration(database, all));
  ASSERT_OK(Migrate(database, all));
  EXPECT_FALSE(*NeedsMigration(database, all));
  EXPECT_TRUE(*NeedsMigration(database, all, {.contract = true}));
}

TEST(MigrationTest, AMigrationThatFailsLeavesNothingOfItselfAndAllBeforeIt) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> broken = {
      {1, "0001_a", "CREATE TABLE priorityd.a (x integer)"},
      {2, "0002_b", "CREATE TABLE priorityd.b (x integer); CREATE TABEL priorityd.c (x integer)"}};
  EXPECT_EQ(Migrate(database, broken).code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(TableExists(database, "priorityd.b"));
  EXPECT_EQ(Versions(database), std::vector<int32_t>{1});
}

TEST(MigrationTest, ASchemaOfANewerProgramIsRefused) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> newer = {{1, "0001_a", "SELECT 1"}, {2, "0002_b", "SELECT 1"}};
  ASSERT_OK(Migrate(database, newer));
  absl::Status status = Migrate(database, absl::MakeConstSpan(newer).first(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(status.message(), "newer")) << status;
}

TEST(MigrationTest, ASchemaOfANewerProgramThatIsCompatibleIsWorkedWith) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> newer = {{1, "0001_a", "SELECT 1"},
                                        {2, "0002_b", "-- Adds.\n-- compatible-from: 1\nSELECT 1"},
                                        {3, "0003_c", "-- compatible-from: 2\nSELECT 1"}};
  ASSERT_OK(Migrate(database, absl::MakeConstSpan(newer).first(2)));
  EXPECT_OK(Migrate(database, absl::MakeConstSpan(newer).first(1)));
  ASSERT_OK(Migrate(database, newer));
  EXPECT_OK(Migrate(database, absl::MakeConstSpan(newer).first(2)));
  EXPECT_EQ(Migrate(database, absl::MakeConstSpan(newer).first(1)).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(MigrationTest, ADatabaseOfBeforeCompatibilityWasWrittenDownIsMigrated) {
  Database database({.url = NewTestDatabase()});
  ASSERT_OK(database.Write([](Transaction& transaction) {
    return transaction.ExecuteScript(
        "ALTER TABLE priorityd.schema_migration DROP COLUMN compatible_from");
  }));
  EXPECT_OK(Migrate(database));
  EXPECT_EQ(Versions(database).size(), AllMigrations().size());
}

// Their older programs would miss what such a migration takes away.
TEST(MigrationTest, WhatContractsWaitsUntilItIsAskedFor) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> all = {
      {1, "0001_a", "CREATE TABLE priorityd.a (x integer)"},
      {2, "0002_b", "-- contracts\n-- compatible-from: 1\nDROP TABLE priorityd.a"},
      {3, "0003_c", "-- compatible-from: 1\nCREATE TABLE priorityd.c (x integer)"}};
  ASSERT_OK(Migrate(database, absl::MakeConstSpan(all).first(1)));
  ASSERT_OK(Migrate(database, all));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 3}));
  ASSERT_OK(Migrate(database, all, {.contract = true}));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_FALSE(TableExists(database, "priorityd.a"));
}

TEST(MigrationTest, ANewDatabaseIsContractedAtOnce) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> all = {{1, "0001_a", "SELECT 1"}, {2, "0002_b", "-- contracts"}};
  ASSERT_OK(Migrate(database, all));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 2}));
}

TEST(MigrationTest, AnOlderProgramDoesNotStartOnWhatIsContracted) {
  Database database({.url = NewEmptyTestDatabase()});
  const std::vector<Migration> all = {
      {1, "0001_a", "SELECT 1"},
      {2, "0002_b", "-- compatible-from: 1\nSELECT 1"},
      {3, "0003_c", "-- contracts\n-- compatible-from: 2\nSELECT 1"}};
  const absl::Span<const Migration> old = absl::MakeConstSpan(all).first(1);
  ASSERT_OK(Migrate(database, old));
  ASSERT_OK(Migrate(database, all));
  EXPECT_OK(Migrate(database, old));
  ASSERT_OK(Migrate(database, all, {.contract = true}));
  EXPECT_EQ(Migrate(database, old).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(MigrationTest, IndexesOfAMigrationAreBuiltInNoTransaction) {
  Database database({.url = NewEmptyTestDatabase()});
  ASSERT_OK(Migrate(
      database,
      std::vector<Migration>{{1, "0001_a", "CREATE TABLE priorityd.a (x integer)"},
                             {2, "0002_b",
                              "-- outside-transaction\n"
                              "CREATE INDEX CONCURRENTLY IF NOT EXISTS a_x ON priorityd.a (x);"}}));
  EXPECT_TRUE(TableExists(database, "priorityd.a_x"));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 2}));
}

TEST(MigrationTest, ATableThatSomebodyLocksIsWaitedForInShortAttempts) {
  const std::string url = NewEmptyTestDatabase();
  Database database({.url = url});
  const std::vector<Migration> two = {
      {1, "0001_a", "CREATE TABLE priorityd.a (x integer)"},
      {2, "0002_b", "ALTER TABLE priorityd.a ADD COLUMN y integer"}};
  ASSERT_OK(Migrate(database, absl::MakeConstSpan(two).first(1)));
  const MigrationOptions impatient = {.lock_timeout = absl::Milliseconds(20),
                                      .pause = absl::ZeroDuration(),
                                      .patience = absl::ZeroDuration()};
  {
    const HeldLock lock(url, "LOCK TABLE priorityd.a IN ACCESS SHARE MODE");
    EXPECT_TRUE(IsLockTimeout(Migrate(database, two, impatient)));
    EXPECT_EQ(Versions(database), std::vector<int32_t>{1});
  }
  EXPECT_OK(Migrate(database, two, impatient));
  EXPECT_EQ(Versions(database), (std::vector<int32_t>{1, 2}));
}

TEST(MigrationTest, SeveralProgramsMayStartAtOnce) {
  const std::string url = NewEmptyTestDatabase();
  std::vector<std::thread> programs;
  for (int i = 0; i < 4; ++i) {
    programs.emplace_back([&url] {
      Database database({.url = url});
      EXPECT_OK(Migrate(database));
    });
  }
  for (std::thread& program : programs) program.join();
  Database database({.url = url});
  EXPECT_EQ(Versions(database).size(), AllMigrations().size());
}

}  // namespace
}  // namespace priorityd::storage
