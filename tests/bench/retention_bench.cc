// How fast a ledger is rolled up into hourly buckets, and what becomes of its size:
// a million records of four TRES in a PostgreSQL of its own, among 100,000 associations. Prints one
// JSON line per figure.
//
// usage: retention_bench

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "storage/ledger/retention_store.h"
#include "storage/schema/migration.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

constexpr int kRecords = 1'000'000;

// $0 users run a million jobs of up to $1 seconds between them, $2 an hour, on 1 to 16 CPUs.
constexpr char kFill[] =
    "TRUNCATE priorityd.usage_record, priorityd.usage_bucket; "
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, "
    "partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) "
    "SELECT 1, 'collector', i::text, i::text, 'u' || user_number, 'root', 'p1', '', "
    "begins, begins + (60 + i * 7919 % $1) * interval '1 second', '{1,2,4,1001}', "
    "ARRAY[1 + i * 607 % 16, 32000, 1, 2], '', association_id, 8, 1 FROM (SELECT i, 1 + i % $0 AS "
    "user_number, "
    "timestamptz '2026-01-01' + i / $2 * interval '1 hour' + i % 61 * interval '1 minute' "
    "AS begins FROM generate_series(1::bigint, 1000000) AS i) AS r "
    "JOIN (SELECT id AS association_id, user_name FROM priorityd.association) AS a "
    "ON a.user_name = 'u' || user_number ORDER BY i; "
    "ANALYZE priorityd.usage_record";
constexpr char kTree[] =
    "INSERT INTO priorityd.association (cluster_id, account) VALUES (1, 'root'); "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name) "
    "SELECT 1, min(a.id), 'root', 'u' || i FROM priorityd.association a, "
    "generate_series(1, 100000) AS i GROUP BY i; ANALYZE priorityd.association";
constexpr char kSizes[] =
    "SELECT pg_total_relation_size('priorityd.usage_record'), "
    "pg_total_relation_size('priorityd.usage_bucket'), "
    "(SELECT count(*) FROM priorityd.usage_bucket)";

struct Sizes {
  int64_t ledger = 0, buckets = 0, bucket_rows = 0;
};

Sizes DecodeSizes(storage::RowReader& row) {
  Sizes sizes;
  row.Read(&sizes.ledger, &sizes.buckets, &sizes.bucket_rows);
  return sizes;
}

Sizes ReadSizes(storage::Database& database) {
  Sizes sizes;
  Check(database.Read([&](storage::Transaction& transaction) {
    auto read = transaction.QueryOne(DecodeSizes, kSizes);
    if (read.ok()) sizes = *read;
    return read.status();
  }));
  return sizes;
}

void PrintSize(const std::string& name, double value, const std::string& unit) {
  Print({.name = "retention_" + name, .value = value, .unit = unit});
}

// One step, and how long it took.
absl::Duration Step(storage::Database& database, storage::RollUpStep* step) {
  const storage::RollUpPlan plan{
      .cluster_id = 1, .horizon = absl::FromUnixSeconds(2'000'000'000), .hour = absl::UnixEpoch()};
  const absl::Time begin = absl::Now();
  Check(database.Write([&](storage::Transaction& transaction) {
    auto done = storage::RetentionStore(transaction).RollUp(plan, step->last);
    if (done.ok()) *step = done->value();
    return done.status();
  }));
  return absl::Now() - begin;
}

void Measure(storage::Database& database, const std::string& name, int users, int max_seconds,
             int jobs_an_hour = 1000) {
  RunScript(database, absl::Substitute(kFill, users, max_seconds, jobs_an_hour));
  const Sizes before = ReadSizes(database);
  storage::RollUpStep step;
  absl::Duration total, longest;
  do {
    const absl::Duration took = Step(database, &step);
    total += took;
    longest = std::max(longest, took);
  } while (step.more);
  const Sizes after = ReadSizes(database);
  Print({.name = absl::StrCat("retention_", name, "_rolled_up"),
         .value = kRecords / absl::ToDoubleSeconds(total),
         .unit = "records/s",
         .higher_is_better = true});
  PrintSize(name + "_longest_transaction", absl::ToDoubleMilliseconds(longest), "ms");
  PrintSize(name + "_bytes_of_a_record", static_cast<double>(before.ledger) / kRecords, "bytes");
  PrintSize(name + "_bytes_of_it_rolled_up", static_cast<double>(after.buckets) / kRecords,
            "bytes");
  PrintSize(name + "_buckets", static_cast<double>(after.bucket_rows), "rows");
}

void MeasureAll(const std::string& url) {
  storage::Database database({.url = url, .pool_size = 2});
  Check(storage::Migrate(database));
  Check(database.Write([&](storage::Transaction& transaction) {
    auto cluster = storage::ClusterStore(transaction).FindOrCreate("c");
    if (!cluster.ok()) return cluster.status();
    return transaction.ExecuteScript(kTree);
  }));
  Measure(database, "many_short_jobs", 50, 1800);
  Measure(database, "few_long_jobs", 1000, 18'000);
  Measure(database, "large_site", 2000, 1800, 40'000);
}

}  // namespace
}  // namespace priorityd::bench

int main() {
  priorityd::bench::WithPostgres(priorityd::bench::MeasureAll);
  return 0;
}
