// What becomes of the space of records that are rolled up, where nobody runs VACUUM FULL. What
// autovacuum does by itself is asked for here.
#include <gtest/gtest.h>

#include <cstdint>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/substitute.h"
#include "storage/database/connection.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

// $0 records that end an hour after the epoch's hour $1.
constexpr char kFill[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT $2, 's', $1 || '.' || i, '', 'u', '', '', "
    "'', t, t + interval '1 hour', '{1,2}', '{1,10}', '', $3 + i % $4, 3, 1 "
    "FROM generate_series(1, $0) AS i, to_timestamp(3600 * $1) AS t";
constexpr char kSize[] = "SELECT pg_total_relation_size('priorityd.usage_record')";
constexpr char kHeapSize[] = "SELECT pg_relation_size('priorityd.usage_record')";

class RetentionSpaceTest : public RetentionStoreTest {
 protected:
  static constexpr int kRecords = 20'000;

  void AppendHour(int hour) {
    const std::string fill =
        absl::Substitute(kFill, kRecords, hour, cluster_.id, associations_[0], kAssociations);
    ASSERT_OK(Write([&](Transaction& t) { return t.ExecuteScript(fill.c_str()); }));
  }
  void RollUpHour(int hour) {
    EXPECT_EQ(RollUp(absl::FromUnixSeconds(3600 * (hour + 1) + 1)), kRecords);
    Vacuum();
  }
  int64_t Size(const char* sql) { return Run(sql)[0][0].as<int64_t>(); }

 private:
  pqxx::result Run(const char* sql) {
    Connection connection(database_.options().url, "");
    return pqxx::nontransaction(connection.get()).exec(sql);
  }
  void Vacuum() { Run("VACUUM priorityd.usage_record"); }
};

TEST_F(RetentionSpaceTest, IsUsedAgainByWhatComesNext) {
  AppendHour(0);
  AppendHour(1);
  const int64_t size = Size(kSize);
  for (int hour = 0; hour < 5; ++hour) {
    RollUpHour(hour);
    AppendHour(hour + 2);
  }
  EXPECT_LT(Size(kSize), size + size / 4);
}

TEST_F(RetentionSpaceTest, GoesBackWhereNothingIsBehindIt) {
  AppendHour(0);
  AppendHour(1);
  const int64_t size = Size(kHeapSize);
  RollUpHour(0);
  AppendHour(2);
  RollUpHour(1);
  EXPECT_LT(Size(kHeapSize), size * 2 / 3);
}

}  // namespace
}  // namespace priorityd::storage
