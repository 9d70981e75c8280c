// Reads that end with their caller, on a real PostgreSQL.
#include "storage/database/read_context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/pgbouncer.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

bool StillWaits() { return false; }

TEST(ReadContextTest, ItEndsAtTheDeadlineOrWhenTheCallerGoes) {
  std::atomic<bool> has_gone = false;
  const ReadContext context(absl::InfiniteDuration(), [&] { return has_gone.load(); });
  EXPECT_EQ(context.Left(), absl::InfiniteDuration());
  EXPECT_OK(context.Check());
  has_gone = true;
  EXPECT_TRUE(absl::IsCancelled(context.Check()));

  const ReadContext late(-absl::Seconds(1), StillWaits);
  EXPECT_EQ(late.Left(), absl::ZeroDuration());
  EXPECT_TRUE(absl::IsDeadlineExceeded(late.Check()));
  const ReadContext early(absl::Minutes(1), StillWaits);
  EXPECT_LE(early.Left(), absl::Minutes(1));
  EXPECT_GT(early.Left(), absl::Seconds(1));
}

TEST(ReadContextTest, EachThreadHasTheInnermostOfItsOwn) {
  const ReadContext outer(absl::InfiniteDuration(), StillWaits);
  const ReadContext inner(absl::InfiniteDuration(), StillWaits);
  EXPECT_EQ(ReadContext::Current(), nullptr);
  const ReadContext::Scope outer_scope(&outer);
  {
    const ReadContext::Scope inner_scope(&inner);
    EXPECT_EQ(ReadContext::Current(), &inner);
    const ReadContext::Scope for_all(nullptr);
    EXPECT_EQ(ReadContext::Current(), nullptr);
    EXPECT_OK(ReadContext::CheckCurrent());
  }
  EXPECT_EQ(ReadContext::Current(), &outer);
  std::thread([] { EXPECT_EQ(ReadContext::Current(), nullptr); }).join();
}

// A pool of one connection.
class CanceledReadTest : public ::testing::Test {
 protected:
  CanceledReadTest() {
    EXPECT_OK(database_.Write([](Transaction& transaction) {
      return transaction.ExecuteScript("CREATE TABLE t (a integer); INSERT INTO t VALUES (41)");
    }));
  }

  static absl::Status Run(Database& database, const std::string& statement) {
    return database.Read(
        [&](Transaction& transaction) { return transaction.Execute(statement).status(); });
  }
  absl::Status Run(const std::string& statement) { return Run(database_, statement); }
  static absl::Status RunWithin(absl::Duration left, Database& database,
                                const std::string& statement) {
    const ReadContext context(left, StillWaits);
    const ReadContext::Scope scope(&context);
    return Run(database, statement);
  }
  absl::Duration StatementTimeout() {
    const auto timeout = database_.Read([](Transaction& transaction) {
      return transaction.QueryOne(
          OnlyColumn<int64_t>,
          "SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout'");
    });
    EXPECT_OK(timeout);
    return absl::Milliseconds(timeout.value_or(0));
  }
  absl::Duration StatementTimeoutWithin(absl::Duration left) {
    const ReadContext context(left, StillWaits);
    const ReadContext::Scope scope(&context);
    return StatementTimeout();
  }
  int32_t Pid() {
    return database_
        .Read([](Transaction& transaction) {
          return transaction.QueryOne(OnlyColumn<int32_t>, "SELECT pg_backend_pid()");
        })
        .value_or(0);
  }

  const std::string url_ = NewEmptyTestDatabase();
  Database database_{{.url = url_, .pool_size = 1}};
};

TEST_F(CanceledReadTest, AStatementTakesNoLongerThanTheDeadlineAndNoLongerThanUsual) {
  EXPECT_EQ(StatementTimeout(), absl::Minutes(10));
  const int32_t pid = Pid();
  EXPECT_EQ(StatementTimeoutWithin(absl::InfiniteDuration()), absl::Minutes(10));
  EXPECT_EQ(StatementTimeoutWithin(absl::Minutes(11)), absl::Minutes(10));
  const absl::Duration limited = StatementTimeoutWithin(absl::Minutes(5));
  EXPECT_GT(limited, absl::Minutes(1));
  EXPECT_LE(limited, absl::Minutes(5));
  EXPECT_EQ(StatementTimeout(), absl::Minutes(10))
      << "of the next transaction on the same connection";
  EXPECT_EQ(Pid(), pid);
}

TEST_F(CanceledReadTest, ADeadlineEndsAStatementThatWaitsForALock) {
  const HeldLock lock(url_, "LOCK TABLE t");
  const absl::Status status = RunWithin(absl::Milliseconds(300), database_, "SELECT * FROM t");
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_EQ(lock.Waiters(), 0);
  EXPECT_OK(Run("SELECT 1"));
  // No failure of the database.
  EXPECT_EQ(database_.Activity().statement_failures, 0);
  EXPECT_EQ(database_.Activity().lost, 0);
  EXPECT_EQ(database_.Activity().in_use, 0);
}

TEST_F(CanceledReadTest, AStatementWhoseCallerHasGoneEndsAndItsConnectionIsReplaced) {
  HeldLock lock(url_, "LOCK TABLE t");
  const int32_t pid = Pid();
  std::atomic<bool> has_gone = false;
  absl::Status status;
  std::thread reader([&] {
    const ReadContext context(absl::InfiniteDuration(), [&] { return has_gone.load(); });
    const ReadContext::Scope scope(&context);
    status = Run("SELECT * FROM t");
  });
  lock.AwaitWaiters();
  EXPECT_EQ(database_.Activity().in_use, 1);
  has_gone = true;
  reader.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(lock.Waiters(), 0);
  EXPECT_EQ(database_.Activity().in_use, 0);
  EXPECT_EQ(database_.Activity().idle, 0);
  EXPECT_EQ(database_.Activity().statement_failures, 0);
  EXPECT_EQ(database_.Activity().lost, 0);
  lock.Release();
  EXPECT_OK(Run("SELECT * FROM t"));
  EXPECT_NE(Pid(), pid);
  // The server does not keep the old one either.
  EXPECT_TRUE(Await([&] {
    return Run(absl::StrCat("SELECT 1 / count(*) FROM generate_series(1, 1) WHERE NOT EXISTS "
                            "(SELECT FROM pg_stat_activity WHERE pid = ",
                            pid, ")"))
        .ok();
  }));
}

TEST_F(CanceledReadTest, NothingIsAskedForACallerThatHasGone) {
  const ReadContext context(absl::InfiniteDuration(), [] { return true; });
  const ReadContext::Scope scope(&context);
  bool is_run = false;
  const absl::Status status = database_.Read([&](Transaction&) {
    is_run = true;
    return absl::OkStatus();
  });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_FALSE(is_run);
}

TEST_F(CanceledReadTest, AReadDoesNotWaitForAConnectionAfterItsEnd) {
  std::latch is_taken(1), is_released(1);
  std::thread holder([&] {
    database_
        .Read([&](Transaction&) {
          is_taken.count_down();
          is_released.wait();
          return absl::OkStatus();
        })
        .IgnoreError();
  });
  is_taken.wait();
  const absl::Status late = RunWithin(absl::Milliseconds(300), database_, "SELECT 1");
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  std::atomic<bool> has_gone = false;
  absl::Status canceled;
  std::thread reader([&] {
    const ReadContext context(absl::InfiniteDuration(), [&] { return has_gone.load(); });
    const ReadContext::Scope scope(&context);
    canceled = Run("SELECT 1");
  });
  EXPECT_TRUE(Await([&] { return database_.Activity().waiting == 1; }));
  has_gone = true;
  reader.join();
  EXPECT_TRUE(absl::IsCancelled(canceled)) << canceled;
  EXPECT_EQ(database_.Activity().in_use, 1);
  EXPECT_EQ(database_.Activity().refused, 0);
  is_released.count_down();
  holder.join();
  EXPECT_OK(Run("SELECT 1"));
}

TEST_F(CanceledReadTest, AWriteIsNotCanceled) {
  const ReadContext context(absl::ZeroDuration(), [] { return true; });
  const ReadContext::Scope scope(&context);
  EXPECT_OK(database_.Write([](Transaction& transaction) {
    return transaction.ExecuteScript("SELECT pg_sleep(0.5); UPDATE t SET a = 42");
  }));
  EXPECT_OK(database_.WriteAlone(kUsual, [](Transaction& transaction) {
    return transaction.Execute("SELECT pg_sleep(0.3)").status();
  }));
  const ReadContext::Scope for_all(nullptr);
  EXPECT_OK(Run("SELECT 1 / (a - 41) FROM t"));
}

TEST_F(CanceledReadTest, WhatACallerLeavesCancelsNoStatementOfTheNextOne) {
  // The requests are sent about 0.1 s after the begin, around the end of these statements.
  for (int i = 0; i < 20; ++i) {
    // Before the transaction, before the statement, and then by the watch.
    std::atomic<int> looks = 0;
    const ReadContext context(absl::InfiniteDuration(), [&] { return ++looks > 2; });
    absl::Status canceled;
    {
      const ReadContext::Scope scope(&context);
      canceled = Run(absl::StrCat("SELECT pg_sleep(", 0.09 + 0.001 * i, ")"));
    }
    EXPECT_TRUE(canceled.ok() || absl::IsCancelled(canceled)) << canceled;
    for (int next = 0; next < 10; ++next) EXPECT_OK(Run("SELECT pg_sleep(0.001)")) << i;
  }
}

TEST_F(CanceledReadTest, BehindAPoolerTheDeadlineAloneEndsAStatement) {
  const PostgresServer server;
  const Pgbouncer pooler(server, "session");
  Database database({.url = pooler.Url("postgres"), .pool_size = 1});
  const absl::Status late = RunWithin(absl::Milliseconds(300), database, "SELECT pg_sleep(100)");
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  // It is asked before the transaction and before the statement; nothing asks later.
  std::atomic<int> looks = 0;
  const ReadContext context(absl::InfiniteDuration(), [&] { return ++looks > 2; });
  const ReadContext::Scope scope(&context);
  EXPECT_OK(Run(database, "SELECT pg_sleep(0.5)"));
}

TEST_F(CanceledReadTest, BehindAPoolerNoStatementIsBegunForACallerThatHasGone) {
  const PostgresServer server;
  const Pgbouncer pooler(server, "session");
  Database database({.url = pooler.Url("postgres"), .pool_size = 1});
  bool has_gone = false;
  const ReadContext context(absl::InfiniteDuration(), [&] { return has_gone; });
  const ReadContext::Scope scope(&context);
  const absl::Status status = database.Read([&](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("SELECT 1"));
    has_gone = true;
    return transaction.Execute("SELECT 1").status();
  });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(database.Activity().statement_failures, 0);
  EXPECT_EQ(database.Activity().idle, 1) << "its connection is fine";
}

TEST_F(CanceledReadTest, BehindAPoolerEachStatementOfAReadIsLimitedToWhatIsLeft) {
  const PostgresServer server;
  const Pgbouncer pooler(server, "session");
  Database database({.url = pooler.Url("postgres"), .pool_size = 1});
  constexpr absl::Duration kLeft = absl::Minutes(5);
  const ReadContext context(kLeft, StillWaits);
  const ReadContext::Scope scope(&context);
  const auto limit = database.Read([](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("SELECT pg_sleep(1)"));
    return transaction.QueryOne(
        OnlyColumn<int64_t>,
        "SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout'");
  });
  ASSERT_OK(limit);
  EXPECT_LE(absl::Milliseconds(*limit), kLeft - absl::Seconds(1));
  EXPECT_GT(*limit, 0);
}

TEST_F(CanceledReadTest, ARequestThatAFrozenServerDoesNotTakeDelaysNeitherTheReadNorTheEnd) {
  PostgresServer server;
  {
    Database database({.url = server.Url("postgres"), .read_patience = absl::Seconds(1)});
    EXPECT_OK(Run(database, "SELECT 1"));
    server.Freeze();
    EXPECT_FALSE(RunWithin(absl::Milliseconds(300), database, "SELECT 1").ok());
  }
  server.Thaw();
}

}  // namespace
}  // namespace priorityd::storage
