#include "storage/database/transaction_kind.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "storage/database/database.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class TransactionKindTest : public ::testing::Test {
 protected:
  absl::Status Run(const char* script) {
    return database_.Write(
        [&](Transaction& transaction) { return transaction.ExecuteScript(script); });
  }

  const std::string url_ = NewEmptyTestDatabase();
  Database database_{{.url = url_, .pool_size = 2}};
};

TEST_F(TransactionKindTest, AWaitTooLongForALockHasItsOwnErrorAndIsNotRetried) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  const HeldLock lock(url_, "LOCK TABLE t");
  int runs = 0;
  const TransactionKind kind{.lock = absl::Milliseconds(20)};
  const absl::Status status = database_.Write(kind, [&](Transaction& transaction) {
    ++runs;
    return transaction.Execute("INSERT INTO t VALUES (1)").status();
  });
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_TRUE(IsLockTimeout(status));
  EXPECT_EQ(runs, 1);
}

TEST_F(TransactionKindTest, AStatementThatTakesTooLongIsCancelled) {
  const TransactionKind kind{.statement = absl::Milliseconds(20)};
  const absl::Status status = database_.Write(kind, [&](Transaction& transaction) {
    return transaction.Execute("SELECT pg_sleep(100)").status();
  });
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_FALSE(IsLockTimeout(status));
}

TEST_F(TransactionKindTest, ACommitIsNotCancelled) {
  // What is deferred to the commit takes longer than a statement may.
  ASSERT_OK(
      Run("CREATE TABLE t (a integer); "
          "CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS "
          "$$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$; "
          "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED "
          "FOR EACH ROW EXECUTE FUNCTION nap()"));
  const TransactionKind kind{.statement = absl::Seconds(1)};
  EXPECT_OK(database_.Write(kind, [](Transaction& transaction) {
    return transaction.Execute("INSERT INTO t VALUES (1)").status();
  }));
  EXPECT_EQ(database_
                .Write([](Transaction& transaction) {
                  return transaction.Execute("DELETE FROM t WHERE a = 1");
                })
                .value(),
            1);
}

TEST_F(TransactionKindTest, AKeyIsLookedUpInAnIndexAlsoIfTheTableWasTinyAsThePlanWasMade) {
  Database one({.url = url_, .pool_size = 1});
  const auto run = [&](const char* script) {
    return one.Write([&](Transaction& transaction) { return transaction.ExecuteScript(script); });
  };
  ASSERT_OK(run(
      "CREATE TABLE t (a integer PRIMARY KEY, n integer); INSERT INTO t VALUES (0, 0); ANALYZE t"));
  const auto rows_read_to_change_ten = [&] {
    return one.Write(kUsual.ByKey(), [&](Transaction& transaction) {
      return RowsReadBy(transaction, "t", [&] {
        return transaction
            .Execute(
                "UPDATE t SET n = n + 1 FROM generate_series($1::integer, $1::integer + 9) "
                "AS given (a) WHERE t.a = given.a",
                {int64_t{100}})
            .status();
      });
    });
  };
  // PostgreSQL makes a few plans before it keeps one.
  for (int i = 0; i < 10; ++i) ASSERT_OK(rows_read_to_change_ten());
  ASSERT_OK(run("INSERT INTO t SELECT i, 0 FROM generate_series(1, 5000) i"));
  EXPECT_EQ(rows_read_to_change_ten().value(), 10);
}

TEST_F(TransactionKindTest, EveryTransactionHasItsOwn) {
  Database one({.url = url_, .pool_size = 1});
  const auto lock_timeout = [](Transaction& transaction) {
    return transaction.QueryOne(OnlyColumn<std::string>, "SHOW lock_timeout");
  };
  EXPECT_EQ(one.Write(lock_timeout).value(), "10s");
  EXPECT_EQ(one.Write({.lock = absl::Milliseconds(1500)}, lock_timeout).value(), "1500ms");
  EXPECT_EQ(one.Read(lock_timeout).value(), "10s");
  EXPECT_EQ(one.Write(kNoLimits, lock_timeout).value(), "0");
  const auto sequential_scans = [](Transaction& transaction) {
    return transaction.QueryOne(OnlyColumn<std::string>, "SHOW enable_seqscan");
  };
  EXPECT_EQ(one.Write(kUsual.ByKey(), sequential_scans).value(), "off");
  EXPECT_EQ(one.Write(sequential_scans).value(), "on");
}

}  // namespace
}  // namespace priorityd::storage
