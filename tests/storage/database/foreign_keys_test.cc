#include "storage/database/foreign_keys.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr char kTables[] =
    "CREATE TABLE a (id bigint PRIMARY KEY); CREATE TABLE b (a_id bigint REFERENCES a (id))";
constexpr char kInsertChildren[] =
    "INSERT INTO b SELECT least(i, $2::bigint) FROM generate_series(1, $1::bigint) AS i";
// By sequential scans in this transaction.
constexpr char kRowsScanned[] = "SELECT pg_stat_get_xact_tuples_returned('a'::regclass)";

TEST(ForeignKeysTest, ATableThatWasTinyIsNotReadForEachRow) {
  // One session, which plans the look-up in a table of one row; the first few times are tries.
  Database database({.url = NewTestDatabase(), .pool_size = 1});
  const auto run = [&](const char* sql) {
    return database.Write([&](Transaction& t) { return t.ExecuteScript(sql); });
  };
  ASSERT_OK(run(kTables));
  ASSERT_OK(run("INSERT INTO a VALUES (1); ANALYZE a"));
  ASSERT_OK(database.Write([](Transaction& t) {
    return ExecuteWithForeignKeys(t, 20, kInsertChildren, {int64_t{20}, int64_t{1}});
  }));
  ASSERT_OK(run("INSERT INTO a SELECT generate_series(2, 2000)"));
  ASSERT_OK(database.Write([](Transaction& t) -> absl::Status {
    const auto inserted =
        ExecuteWithForeignKeys(t, 20, kInsertChildren, {int64_t{2000}, int64_t{2000}});
    if (!inserted.ok()) return inserted.status();
    EXPECT_EQ(*inserted, 2000);
    const auto scanned = t.QueryOne(OnlyColumn<int64_t>, kRowsScanned);
    if (!scanned.ok()) return scanned.status();
    EXPECT_LT(*scanned, 10'000);
    return absl::OkStatus();
  }));
}

}  // namespace
}  // namespace priorityd::storage
