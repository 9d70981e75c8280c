#include "storage/schema/index_build.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "storage/database/database.h"
#include "storage/database/status.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/store_test.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

constexpr char kScript[] =
    "-- Two.\n"
    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS t_key ON priorityd.t (x);\n\n"
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS t_other ON priorityd.t (x, x);\n";
constexpr char kMake[] =
    "CREATE SCHEMA priorityd; CREATE TABLE priorityd.t (x bigint GENERATED ALWAYS AS IDENTITY, "
    "y integer); INSERT INTO priorityd.t (y) SELECT i FROM generate_series(1, 20000) AS i";
constexpr char kInsertOne[] = "INSERT INTO priorityd.t (y) VALUES (1)";
constexpr char kValid[] =
    "SELECT count(*) FILTER (WHERE indisvalid), count(*) FROM pg_index "
    "WHERE indrelid = 'priorityd.t'::regclass";
constexpr char kKill[] =
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND query LIKE 'CREATE UNIQUE INDEX CONCURRENTLY%'";

struct Indexes {
  int64_t valid = 0;
  int64_t all = 0;
  bool operator==(const Indexes&) const = default;
};

Indexes DecodeIndexes(RowReader& row) {
  Indexes indexes;
  row.Read(&indexes.valid, &indexes.all);
  return indexes;
}

class IndexBuildTest : public ::testing::Test {
 protected:
  void SetUp() override { Run(kMake); }

  void Run(const char* sql) {
    EXPECT_OK(database_.Write([&](Transaction& t) { return t.ExecuteScript(sql); }));
  }
  Indexes FindIndexes() {
    return database_.Read([](Transaction& t) { return t.QueryOne(DecodeIndexes, kValid); }).value();
  }
  absl::Status Build(absl::Duration patience = absl::Minutes(1)) {
    return BuildIndexes(url_, kScript, patience);
  }

  const std::string url_ = NewEmptyTestDatabase();
  Database database_{{.url = url_}};
};

TEST_F(IndexBuildTest, WritesContinueMeanwhile) {
  HeldLock written(url_, kInsertOne);
  std::thread build([this] { EXPECT_OK(Build()); });
  written.AwaitWaiters();
  // It waits for the transaction that has written; who writes now waits for nobody.
  EXPECT_OK(database_.Write({.lock = absl::Milliseconds(1)},
                            [](Transaction& t) { return t.ExecuteScript(kInsertOne); }));
  written.Release();
  build.join();
  EXPECT_EQ(FindIndexes(), (Indexes{2, 2}));
}

TEST_F(IndexBuildTest, ALeaderMayLeadMeanwhile) {
  // As ReplicaSession takes it: its connection holds it, not a transaction.
  Database leader({.url = url_, .pool_size = 1});
  EXPECT_OK(leader.Write(
      [](Transaction& t) { return t.Execute("SELECT pg_advisory_lock(7411, 2)").status(); }));
  EXPECT_OK(Build());
  EXPECT_EQ(FindIndexes(), (Indexes{2, 2}));
}

TEST_F(IndexBuildTest, OneThatWasKilledHalfwayIsBuiltAgain) {
  HeldLock written(url_, kInsertOne);
  absl::Status killed;
  std::thread build([&] { killed = Build(); });
  written.AwaitWaiters();
  Run(kKill);
  build.join();
  EXPECT_EQ(killed.code(), absl::StatusCode::kUnavailable) << killed;
  EXPECT_EQ(FindIndexes(), (Indexes{0, 1}));
  written.Release();
  EXPECT_OK(Build());
  EXPECT_EQ(FindIndexes(), (Indexes{2, 2}));
}

TEST_F(IndexBuildTest, RunningItAgainChangesNothing) {
  EXPECT_OK(Build());
  EXPECT_OK(Build());
  EXPECT_EQ(FindIndexes(), (Indexes{2, 2}));
}

TEST_F(IndexBuildTest, ATransactionThatDoesNotEndIsWaitedForNoLongerThanSaid) {
  const HeldLock written(url_, kInsertOne);
  EXPECT_TRUE(IsLockTimeout(Build(absl::Milliseconds(50))));
}

TEST_F(IndexBuildTest, SeveralProgramsMayBuildAtOnce) {
  std::thread other([this] { EXPECT_OK(Build()); });
  EXPECT_OK(Build());
  other.join();
  EXPECT_EQ(FindIndexes(), (Indexes{2, 2}));
}

TEST_F(IndexBuildTest, OtherStatementsAreRefused) {
  EXPECT_EQ(BuildIndexes(url_, "DROP TABLE priorityd.t;", absl::Seconds(1)).code(),
            absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace priorityd::storage
