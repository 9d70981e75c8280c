#include "storage/database/key_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "storage/database/database.h"
#include "tests/storage/store_test.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Records of numbers in a range; each replaces the one whose number is so much lower, if any.
std::string RecordsOf(int first, int last, const std::string& replaced) {
  return absl::StrCat(
      "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
      "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
      "association_id, billing_rate, usage_factor) SELECT 1, 's', i::text, '', '', 'root', '', '', "
      "timestamptz '2026-01-01', timestamptz '2026-01-02', '{1}', '{4}', ",
      replaced, ", 1, 4, 1 FROM generate_series(", first, ", ", last, ") AS i");
}

class IsCountedTest : public testing::Test {
 protected:
  IsCountedTest() {
    EXPECT_OK(database_.Write([](Transaction& transaction) {
      return transaction.ExecuteScript(
          absl::StrCat(
              "INSERT INTO priorityd.cluster (name) VALUES ('c'); "
              "INSERT INTO priorityd.association (cluster_id, account) VALUES (1, 'root'); ",
              RecordsOf(1, 3000, "''"), "; ANALYZE priorityd.usage_record; ",
              RecordsOf(3001, 4000, "(i - 3000)::text"))
              .c_str());
    }));
  }

  template <typename T>
  std::vector<T> Query(const std::string& sql) {
    const auto rows =
        database_.Read([&](Transaction& t) { return t.Query(OnlyColumn<T>, sql.c_str()); });
    EXPECT_OK(rows);
    return rows.ok() ? *rows : std::vector<T>();
  }
  std::string Plan(const std::string& select) {
    return absl::StrJoin(Query<std::string>(absl::StrCat("EXPLAIN ", select)), "\n");
  }

  const std::string by_key_ =
      absl::StrCat("SELECT seq FROM priorityd.usage_record u WHERE cluster_id = 1 AND ",
                   IsCounted(), " ORDER BY seq LIMIT 5000");
  const std::string by_view_ =
      "SELECT seq FROM priorityd.counted_usage WHERE cluster_id = 1 ORDER BY seq LIMIT 5000";
  Database database_{{.url = NewTestDatabase()}};
};

TEST_F(IsCountedTest, TheRecordsAreThoseOfTheView) {
  EXPECT_EQ(Query<int64_t>(by_key_).size(), 3000u);
  EXPECT_EQ(Query<int64_t>(by_key_), Query<int64_t>(by_view_));
}

TEST_F(IsCountedTest, EachReplacementIsLookedUpThoughStatisticsKnowNone) {
  EXPECT_THAT(Plan(by_view_), HasSubstr("Join"));
  EXPECT_THAT(Plan(by_key_), Not(HasSubstr("Join")));
  EXPECT_THAT(Plan(by_key_), HasSubstr("using usage_record_replaces"));
}

}  // namespace
}  // namespace priorityd::storage
