// What errors of libpqxx are to a caller.
#include "storage/database/status.h"

#include <gtest/gtest.h>

#include <pqxx/pqxx>

namespace priorityd::storage {
namespace {

template <typename Exception>
DatabaseError ErrorOf(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return CurrentDatabaseError("statement");
  }
}

TEST(StatusTest, ADeadConnectionIsRetryableWhateverNoticesIt) {
  const DatabaseError errors[] = {
      ErrorOf(pqxx::broken_connection("server closed the connection unexpectedly")),
      ErrorOf(pqxx::failure("Could not obtain client encoding: not connected.")),
      ErrorOf(pqxx::sql_error("terminating connection", "SELECT 1", "57P01"))};
  for (const DatabaseError& error : errors) {
    EXPECT_EQ(error.status.code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(error.failure, Failure::kConnection);
  }
}

TEST(StatusTest, AStatementThatTookTooLongIsNotADatabaseThatIsGone) {
  const DatabaseError error =
      ErrorOf(pqxx::sql_error("canceling statement due to statement timeout", "SELECT 1", "57014"));
  EXPECT_EQ(error.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(error.status.message(),
            "the database canceled a statement, which took too long; retry later");
  EXPECT_EQ(error.failure, Failure::kStatement);
}

TEST(StatusTest, AWrongUseOfTheDriverIsAnErrorOfTheService) {
  EXPECT_EQ(ErrorOf(pqxx::usage_error("no")).status.code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace priorityd::storage
