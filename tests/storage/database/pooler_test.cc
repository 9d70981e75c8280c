// Behind pgbouncer.
#include "storage/database/pooler.h"

#include <gtest/gtest.h>

#include "tests/storage/pgbouncer.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class PoolerTest : public ::testing::Test {
 protected:
  absl::Status CheckIn(const std::string& pool_mode) {
    const Pgbouncer pooler(server_, pool_mode);
    return CheckPooler(Database({.url = pooler.Url("postgres")}));
  }

  PostgresServer server_;
};

TEST_F(PoolerTest, WithoutOneAllIsWell) {
  EXPECT_OK(CheckPooler(Database({.url = server_.Url("postgres")})));
}

TEST_F(PoolerTest, SessionModeWillDo) { EXPECT_OK(CheckIn("session")); }

TEST_F(PoolerTest, TransactionModeIsRefusedInOneLine) {
  const absl::Status status = CheckIn("transaction");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(status.message().find("session mode"), std::string::npos) << status;
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

// It refuses transactions itself.
TEST_F(PoolerTest, StatementModeIsNoDatabase) { EXPECT_FALSE(CheckIn("statement").ok()); }

}  // namespace
}  // namespace priorityd::storage
