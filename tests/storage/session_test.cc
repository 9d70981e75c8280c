#include "storage/session.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : session_(*Session::Open(NewEmptyTestDatabase())) {}

  std::unique_ptr<Session> session_;
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

TEST_F(SessionTest, NobodyWritesInARead) {
  const TransactionEnd end = session_->Run(AccessMode::kRead, [](Transaction& transaction) {
    return transaction.ExecuteScript("CREATE TABLE t (a integer)");
  });
  EXPECT_FALSE(end.status.ok());
}

}  // namespace
}  // namespace priorityd::storage
