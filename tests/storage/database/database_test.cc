#include "storage/database/database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "storage/embedded_postgres/create_database.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr char kBackendPid[] = "SELECT pg_backend_pid()";
constexpr char kTerminate[] = "SELECT pg_terminate_backend($1, 10000)";

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest() : url_(NewEmptyTestDatabase()), database_({.url = url_, .pool_size = 2}) {}

  absl::Status Run(const char* statement, std::vector<Parameter> parameters = {}) {
    return database_.Write([&](Transaction& transaction) {
      return transaction.Execute(statement, parameters).status();
    });
  }

  absl::StatusOr<int32_t> Integer(const char* statement) {
    return database_.Read([&](Transaction& transaction) {
      return transaction.QueryOne(OnlyColumn<int32_t>, statement);
    });
  }

  // Ends a session of this database from another one, and waits for its end.
  void Terminate(int32_t pid) {
    Database other({.url = url_});
    ASSERT_OK(other.Write(
        [&](Transaction& transaction) { return transaction.Execute(kTerminate, {pid}).status(); }));
  }

  const std::string url_;
  Database database_;
};

TEST_F(DatabaseTest, WhatIsWrittenIsReadBack) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  ASSERT_OK(Run("INSERT INTO t VALUES ($1)", {41}));
  EXPECT_EQ(Integer("SELECT a FROM t").value(), 41);
}

TEST_F(DatabaseTest, TheValueOfTheWorkIsReturned) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  const auto insert = [](Transaction& transaction) -> absl::StatusOr<std::unique_ptr<int32_t>> {
    auto row = transaction.QueryOne(OnlyColumn<int32_t>, "INSERT INTO t VALUES (41) RETURNING a");
    if (!row.ok()) return row.status();
    return std::make_unique<int32_t>(*row);
  };
  EXPECT_EQ(**database_.Write(insert), 41);
  EXPECT_EQ(Integer("SELECT a FROM t").value(), 41);
}

TEST_F(DatabaseTest, AValueThatWasNotCommittedIsNotReturned) {
  ASSERT_OK(Run("CREATE TABLE t (a integer UNIQUE DEFERRABLE INITIALLY DEFERRED)"));
  const auto insert_twice = [](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("INSERT INTO t VALUES (1)"));
    return transaction.QueryOne(OnlyColumn<int32_t>, "INSERT INTO t VALUES (1) RETURNING a");
  };
  EXPECT_EQ(database_.Write(insert_twice).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(DatabaseTest, AnErrorOfTheWorkIsReturnedInPlaceOfAValueAndRollsBack) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  const auto result = database_.Write([](Transaction& transaction) -> absl::StatusOr<int32_t> {
    EXPECT_OK(transaction.Execute("INSERT INTO t VALUES (1)"));
    return absl::NotFoundError("mine");
  });
  EXPECT_EQ(result.status(), absl::NotFoundError("mine"));
  EXPECT_EQ(Integer("SELECT count(*)::integer FROM t").value(), 0);
}

TEST_F(DatabaseTest, AnErrorOfTheWorkRollsBack) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  absl::Status status = database_.Write([](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("INSERT INTO t VALUES (1)"));
    return absl::NotFoundError("mine");
  });
  EXPECT_EQ(status, absl::NotFoundError("mine"));
  EXPECT_EQ(Integer("SELECT count(*)::integer FROM t").value(), 0);
}

TEST_F(DatabaseTest, AStatementErrorThatTheWorkIgnoresIsNotACommit) {
  ASSERT_OK(Run("CREATE TABLE t (a integer PRIMARY KEY)"));
  absl::Status status = database_.Write([](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("INSERT INTO t VALUES (1)"));
    EXPECT_FALSE(transaction.Execute("INSERT INTO t VALUES (1)").ok());
    EXPECT_EQ(transaction.Execute("SELECT 1").status().code(), absl::StatusCode::kAlreadyExists);
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Integer("SELECT count(*)::integer FROM t").value(), 0);
}

TEST_F(DatabaseTest, AReadCannotWrite) {
  absl::Status status = database_.Read([](Transaction& transaction) {
    return transaction.Execute("CREATE TABLE t (a integer)").status();
  });
  EXPECT_FALSE(status.ok());
}

TEST_F(DatabaseTest, AReadSeesOneMoment) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  ASSERT_OK(database_.Read([&](Transaction& transaction) {
    const char* count = "SELECT count(*)::integer FROM t";
    EXPECT_EQ(transaction.QueryOne(OnlyColumn<int32_t>, count).value(), 0);
    Database other({.url = url_});
    EXPECT_OK(other.Write(
        [](Transaction& writer) { return writer.Execute("INSERT INTO t VALUES (1)").status(); }));
    EXPECT_EQ(transaction.QueryOne(OnlyColumn<int32_t>, count).value(), 0);
    return absl::OkStatus();
  }));
}

TEST_F(DatabaseTest, ErrorsHaveTheCodeThatSaysWhatToDo) {
  ASSERT_OK(Run("CREATE TABLE t (a integer PRIMARY KEY CHECK (a < 10))"));
  ASSERT_OK(Run("CREATE TABLE u (a integer NOT NULL REFERENCES t)"));
  ASSERT_OK(Run("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(Run("INSERT INTO t VALUES (1)").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Run("INSERT INTO t VALUES (10)").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("INSERT INTO u VALUES (NULL)").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("INSERT INTO t VALUES ($1)", {"x"}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Run("INSERT INTO u VALUES (2)").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Run("SELECT * FROM nowhere").code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Run("SELEKT").code(), absl::StatusCode::kInternal);
}

TEST_F(DatabaseTest, NoDatabaseTextReachesTheCaller) {
  absl::Status status = Run("SELECT * FROM secret_table");
  EXPECT_FALSE(absl::StrContains(status.message(), "secret_table")) << status;
}

TEST_F(DatabaseTest, ANulByteIsRefusedAndTheTransactionContinues) {
  ASSERT_OK(Run("CREATE TABLE t (a text)"));
  ASSERT_OK(database_.Write([](Transaction& transaction) {
    const std::string nul("a\0b", 3);
    EXPECT_EQ(transaction.Execute("INSERT INTO t VALUES ($1)", {nul}).status().code(),
              absl::StatusCode::kInvalidArgument);
    return transaction.Execute("INSERT INTO t VALUES ('fine')").status();
  }));
  EXPECT_EQ(Integer("SELECT count(*)::integer FROM t").value(), 1);
}

TEST_F(DatabaseTest, ACellThatIsNoNumberIsAnError) {
  absl::StatusOr<int32_t> value = Integer("SELECT 'x'");
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Integer("SELECT NULL::integer").status().code(), absl::StatusCode::kInternal);
}

TEST_F(DatabaseTest, ATransactionWhoseSessionDiesIsUnavailableAndTheNextOneWorks) {
  int runs = 0;
  absl::Status status = database_.Write([&](Transaction& transaction) {
    ++runs;
    Terminate(transaction.QueryOne(OnlyColumn<int32_t>, kBackendPid).value());
    return transaction.Execute("SELECT 1").status();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(runs, 1);
  EXPECT_OK(Run("SELECT 1"));
}

TEST_F(DatabaseTest, ACommitWhoseSessionIsGoneIsNotReportedAsDone) {
  ASSERT_OK(Run("CREATE TABLE t (a integer)"));
  absl::Status status = database_.Write([&](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("INSERT INTO t VALUES (1)"));
    Terminate(transaction.QueryOne(OnlyColumn<int32_t>, kBackendPid).value());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.code() == absl::StatusCode::kAborted ||
              status.code() == absl::StatusCode::kUnavailable)
      << status;
  EXPECT_EQ(Integer("SELECT count(*)::integer FROM t").value(), 0);
}

TEST_F(DatabaseTest, ASessionThatDiedWhileIdleGoesUnnoticed) {
  absl::StatusOr<int32_t> pid = Integer(kBackendPid);
  ASSERT_OK(pid);
  Terminate(*pid);
  EXPECT_OK(Run("SELECT 1"));
}

TEST_F(DatabaseTest, ANewSessionHasTheSettingsOfTheFirst) {
  absl::StatusOr<int32_t> pid = Integer(kBackendPid);
  ASSERT_OK(pid);
  Terminate(*pid);
  ASSERT_OK(database_.Read([](Transaction& transaction) {
    EXPECT_EQ(transaction.QueryOne(OnlyColumn<std::string>, "SHOW TimeZone").value(), "UTC");
    return absl::OkStatus();
  }));
}

TEST_F(DatabaseTest, SessionsAreReused) {
  EXPECT_EQ(Integer(kBackendPid).value(), Integer(kBackendPid).value());
}

TEST_F(DatabaseTest, ACallerWhoFindsNoFreeSessionInTimeGetsThatError) {
  Database small({.url = url_, .pool_size = 1, .acquire_timeout = absl::Milliseconds(10)});
  ASSERT_OK(small.Write([&](Transaction&) {
    EXPECT_EQ(small.Write([](Transaction&) { return absl::OkStatus(); }).code(),
              absl::StatusCode::kResourceExhausted);
    return absl::OkStatus();
  }));
}

TEST_F(DatabaseTest, ACallerWaitsForASessionInUse) {
  Database small({.url = url_, .pool_size = 1});
  std::latch taken(1);
  std::latch asked(1);
  std::thread holder([&] {
    EXPECT_OK(small.Write([&](Transaction&) {
      taken.count_down();
      asked.wait();
      return absl::OkStatus();
    }));
  });
  taken.wait();
  asked.count_down();
  EXPECT_OK(small.Write([](Transaction&) { return absl::OkStatus(); }));
  holder.join();
}

TEST_F(DatabaseTest, AfterStartingOverTransactionsAreOfAnotherIncarnation) {
  const auto incarnation = [&] {
    return database_.Read([](Transaction& t) -> absl::StatusOr<int64_t> { return t.incarnation(); })
        .value();
  };
  const int64_t first = incarnation();
  const int32_t session = Integer(kBackendPid).value();
  EXPECT_EQ(incarnation(), first);
  database_.StartOver();
  EXPECT_GT(incarnation(), first);
  EXPECT_NE(Integer(kBackendPid).value(), session);
}

TEST_F(DatabaseTest, ADeadlockIsRetried) {
  ASSERT_OK(Run("CREATE TABLE t (a integer PRIMARY KEY, n integer)"));
  ASSERT_OK(Run("INSERT INTO t VALUES (1, 0), (2, 0)"));
  std::barrier both_locked(2);
  std::atomic<int> runs = 0;
  auto update = [&](int first, int second) {
    bool first_run = true;
    EXPECT_OK(database_.Write([&](Transaction& transaction) {
      ++runs;
      const char* statement = "UPDATE t SET n = n + 1 WHERE a = $1";
      absl::Status status = transaction.Execute(statement, {first}).status();
      if (std::exchange(first_run, false)) both_locked.arrive_and_wait();
      return status.ok() ? transaction.Execute(statement, {second}).status() : status;
    }));
  };
  std::thread other([&] { update(2, 1); });
  update(1, 2);
  other.join();
  EXPECT_GT(runs, 2);
  EXPECT_EQ(Integer("SELECT sum(n)::integer FROM t").value(), 4);
}

TEST(DatabaseUrlTest, AServerThatIsNotThereIsUnavailable) {
  Database database({.url = "host=/nonexistent dbname=x"});
  EXPECT_EQ(database.Write([](Transaction&) { return absl::OkStatus(); }).code(),
            absl::StatusCode::kUnavailable);
}

TEST(DatabaseUrlTest, TextThatIsNoUrlIsTheCallersMistakeAndIsNotRepeated) {
  Database database({.url = "postgresql://user:hunter2@[::1/"});
  absl::Status status = database.Write([](Transaction&) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(absl::StrContains(status.message(), "hunter2"));
}

TEST_F(DatabaseTest, ItsActivitySaysWhoHoldsAndWhoWaitsForConnections) {
  EXPECT_EQ(database_.Activity().most, 2);
  EXPECT_EQ(database_.Activity().opened, 0);
  std::latch both_begun(2);
  std::latch done(1);
  const auto hold = [&](Transaction&) {
    both_begun.count_down();
    done.wait();
    return absl::OkStatus();
  };
  std::thread first([&] { EXPECT_OK(database_.Read(hold)); });
  std::thread second([&] { EXPECT_OK(database_.Read(hold)); });
  both_begun.wait();
  std::thread third([&] { EXPECT_OK(Run("SELECT 1")); });
  while (database_.Activity().waiting == 0) std::this_thread::yield();
  EXPECT_EQ(database_.Activity().in_use, 2);
  EXPECT_EQ(database_.Activity().idle, 0);
  done.count_down();
  for (std::thread* thread : {&first, &second, &third}) thread->join();
  EXPECT_EQ(database_.Activity().in_use, 0);
  EXPECT_EQ(database_.Activity().idle, 2);
  EXPECT_EQ(database_.Activity().waiting, 0);
  EXPECT_EQ(database_.Activity().opened, 2);
}

TEST_F(DatabaseTest, ItsActivityCountsWhatFailed) {
  EXPECT_FALSE(Run("SELECT 1/0").ok());
  EXPECT_EQ(database_.Activity().statement_failures, 1);
  EXPECT_EQ(database_.Activity().lost, 0);
  Terminate(*Integer(kBackendPid));
  ASSERT_OK(Run("SELECT 1"));
  EXPECT_EQ(database_.Activity().lost, 1);
  EXPECT_EQ(database_.Activity().opened, 2);
  Database nowhere({.url = "host=127.0.0.1 port=1"});
  EXPECT_FALSE(nowhere.Read([](Transaction&) { return absl::OkStatus(); }).ok());
  EXPECT_GE(nowhere.Activity().not_opened, 1);
}

}  // namespace
}  // namespace priorityd::storage
