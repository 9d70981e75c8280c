#include "storage/database/session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "storage/database/read_context.h"
#include "tests/await.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  const std::string url_ = NewEmptyTestDatabase();
  std::unique_ptr<Session> session_ = *Session::Open(url_);
};

TEST_F(SessionTest, WorkThatSucceedsHasNoFailure) {
  const TransactionEnd end = session_->Run(AccessMode::kWrite, [](Transaction& transaction) {
    return transaction.ExecuteScript("CREATE TABLE t (a integer UNIQUE)");
  });
  EXPECT_OK(end.status);
  EXPECT_EQ(end.failure, std::nullopt);
  EXPECT_TRUE(end.begun);
}

TEST_F(SessionTest, AnErrorOfTheWorkIsNoFailureOfTheDatabase) {
  const TransactionEnd end =
      session_->Run(AccessMode::kWrite, [](Transaction&) { return absl::NotFoundError("mine"); });
  EXPECT_EQ(end.status, absl::NotFoundError("mine"));
  EXPECT_EQ(end.failure, std::nullopt);
}

TEST_F(SessionTest, AFailedStatementFailsTheTransactionWhateverTheWorkReturns) {
  const TransactionEnd end = session_->Run(AccessMode::kWrite, [](Transaction& transaction) {
    EXPECT_FALSE(transaction.Execute("SELECT 1 / 0").ok());
    return absl::OkStatus();
  });
  EXPECT_EQ(end.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(end.failure, Failure::kStatement);
}

TEST_F(SessionTest, ALostSessionDoesNotReconnect) {
  const auto terminate = [](Transaction& transaction) {
    return transaction.Execute("SELECT pg_terminate_backend(pg_backend_pid())").status();
  };
  EXPECT_EQ(session_->Run(AccessMode::kWrite, terminate).failure, Failure::kConnection);
  const TransactionEnd next =
      session_->Run(AccessMode::kRead, [](Transaction&) { return absl::OkStatus(); });
  EXPECT_EQ(next.failure, Failure::kConnection);
  EXPECT_FALSE(next.begun);
}

TEST_F(SessionTest, AReadRunsNoStatementForACallerThatHasGone) {
  bool has_gone = false;
  const ReadContext context(absl::InfiniteDuration(), [&] { return has_gone; });
  const ReadContext::Scope scope(&context);
  const TransactionEnd end = session_->Run(AccessMode::kRead, [&](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("SELECT 1"));
    has_gone = true;
    EXPECT_TRUE(absl::IsCancelled(transaction.Execute("SELECT 1").status()));
    return absl::OkStatus();
  });
  EXPECT_TRUE(absl::IsCancelled(end.status)) << end.status;
  EXPECT_EQ(end.failure, Failure::kCanceled);
}

TEST_F(SessionTest, AReadRunsNoStatementAfterItsDeadlineAndItsConnectionIsFineThen) {
  {
    const ReadContext context(absl::ZeroDuration(), [] { return false; });
    const ReadContext::Scope scope(&context);
    const TransactionEnd end = session_->Run(AccessMode::kRead, [](Transaction& transaction) {
      return transaction.Execute("SELECT 1").status();
    });
    EXPECT_TRUE(absl::IsDeadlineExceeded(end.status)) << end.status;
    EXPECT_EQ(end.failure, Failure::kCanceled);
  }
  EXPECT_OK(
      session_
          ->Run(AccessMode::kRead,
                [](Transaction& transaction) { return transaction.Execute("SELECT 1").status(); })
          .status);
}

TEST_F(SessionTest, AWriteRunsItsStatementsAlsoIfItsCallerHasGone) {
  const ReadContext context(absl::ZeroDuration(), [] { return true; });
  const ReadContext::Scope scope(&context);
  for (const AccessMode mode : {AccessMode::kWrite, AccessMode::kAlone}) {
    const TransactionEnd end = session_->Run(
        mode, [](Transaction& transaction) { return transaction.Execute("SELECT 1").status(); });
    EXPECT_OK(end.status);
  }
}

// What libpq knows of the connection is that it broke.
TEST_F(SessionTest, ACancelRequestNeedsNothingOfItsConnection) {
  const std::function<void()> cancel = session_->Canceler();
  const int socket = session_->socket();
  std::thread reader([&] {
    session_->Run(AccessMode::kRead, [](Transaction& transaction) {
      EXPECT_OK(transaction.ExecuteScript("SET LOCAL client_connection_check_interval = 0"));
      return transaction.Execute("SELECT pg_sleep(600)").status();
    });
  });
  Database other({.url = url_});
  const auto is_asleep = [&] {
    const auto asleep = other.Read([](Transaction& transaction) {
      return transaction.Execute(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' "
          "AND query = 'SELECT pg_sleep(600)'");
    });
    EXPECT_OK(asleep);
    return asleep.value_or(0) == 1;
  };
  EXPECT_TRUE(Await(is_asleep));
  shutdown(socket, SHUT_RDWR);
  reader.join();
  session_.reset();
  EXPECT_TRUE(is_asleep());
  cancel();
  EXPECT_TRUE(Await([&] { return !is_asleep(); }));
}

TEST_F(SessionTest, NobodyWritesInARead) {
  const TransactionEnd end = session_->Run(AccessMode::kRead, [](Transaction& transaction) {
    return transaction.ExecuteScript("CREATE TABLE t (a integer)");
  });
  EXPECT_FALSE(end.status.ok());
}

}  // namespace
}  // namespace priorityd::storage
