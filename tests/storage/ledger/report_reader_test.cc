// What a reader of the schema priorityd_report can take from the program, and what
// docs/reports-sql.md has an administrator execute against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class ReportReaderTest : public StoreTest {
 protected:
  // From `DO $$` to its end.
  static std::string StatementOfThePage() {
    std::ifstream file("docs/reports-sql.md");
    std::string statement;
    for (std::string line; std::getline(file, line);) {
      if (statement.empty() && line != "DO $$") continue;
      absl::StrAppend(&statement, line, "\n");
      if (line == "END $$;") break;
    }
    return statement;
  }

  absl::Status Do(const std::string& statements) {
    return Write([&](Transaction& t) { return t.ExecuteScript(statements.c_str()); });
  }
  absl::Status DoAsReader(const std::string& statement) {
    return Do(absl::StrCat("SET LOCAL ROLE priorityd_report; ", statement));
  }
};

TEST_F(ReportReaderTest, OnceThePagesStatementIsMadeAReaderTakesNoLockAndNoSpace) {
  constexpr const char* kAttempts[] = {
      "SELECT pg_advisory_xact_lock(7412, 1)", "SELECT pg_try_advisory_xact_lock_shared(7411, 2)",
      "SELECT lo_create(0)", "CREATE TEMPORARY TABLE own(a int) ON COMMIT DROP"};
  for (const char* attempt : kAttempts) EXPECT_OK(DoAsReader(attempt)) << attempt;
  const std::string statement = StatementOfThePage();
  ASSERT_THAT(statement, ::testing::HasSubstr("REVOKE"));
  for (int i = 0; i < 2; ++i) ASSERT_OK(Do(statement));
  for (const char* attempt : kAttempts) EXPECT_FALSE(DoAsReader(attempt).ok()) << attempt;
}

}  // namespace
}  // namespace priorityd::storage
