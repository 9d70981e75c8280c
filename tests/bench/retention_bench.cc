// How fast a ledger is rolled up into hourly buckets, and what becomes of its size:
// a million records of a PostgreSQL of its own, four TRES each. Prints one JSON line
// per figure.
//
// usage: retention_bench
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/cluster_store.h"
#include "storage/database.h"
#include "storage/embedded_postgres.h"
#include "storage/migration.h"
#include "storage/retention_store.h"

namespace priorityd::bench {
namespace {

constexpr int kRecords = 1'000'000;

// A thousand users who run four jobs of a quarter to five hours at a time, for weeks.
constexpr char kFill[] =
    "INSERT INTO priorityd.association (cluster_id, account) VALUES (1, 'root'); "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name) "
    "SELECT 1, min(a.id), 'root', 'u' || i FROM priorityd.association a, "
    "generate_series(1, 1000) AS i GROUP BY i; "
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, "
    "partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) "
    "SELECT 1, 'collector', i::text, i::text, 'u' || user_number, 'root', 'p1', '', "
    "begins, begins + (900 + i * 7919 % 17100) * interval '1 second', '{1,2,4,1001}', "
    "'{8,32000,1,2}', '', association_id, 8, 1 FROM (SELECT i, 1 + i % 1000 AS user_number, "
    "timestamptz '2026-01-01' + i / 1000 * interval '1 hour' + i % 61 * interval '1 minute' "
    "AS begins FROM generate_series(1::bigint, 1000000) AS i) AS r "
    "JOIN (SELECT id AS association_id, user_name FROM priorityd.association) AS a "
    "ON a.user_name = 'u' || user_number ORDER BY i; "
    "ANALYZE priorityd.usage_record";
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

void Check(const absl::Status& status) {
  if (status.ok()) return;
  absl::FPrintF(stderr, "retention_bench: %s\n", status.ToString());
  std::exit(1);
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

void Print(const char* name, double value, const char* unit) {
  absl::PrintF("{\"name\":\"retention_%s\",\"value\":%.1f,\"unit\":\"%s\"}\n", name, value, unit);
}

void Measure(const std::string& url) {
  storage::Database database({.url = url, .pool_size = 2});
  Check(storage::Migrate(database));
  Check(database.Write([&](storage::Transaction& transaction) {
    auto cluster = storage::ClusterStore(transaction).FindOrCreate("c");
    if (!cluster.ok()) return cluster.status();
    return transaction.ExecuteScript(kFill);
  }));
  const Sizes before = ReadSizes(database);
  storage::RollUpPlan plan{
      .cluster_id = 1, .horizon = absl::FromUnixSeconds(2'000'000'000), .hour = absl::UnixEpoch()};
  storage::RollUpStep step;
  absl::Duration longest;
  const absl::Time begin = absl::Now();
  do {
    const absl::Time step_begin = absl::Now();
    Check(database.Write([&](storage::Transaction& transaction) {
      auto done = storage::RetentionStore(transaction).RollUp(plan, step.association_id);
      if (done.ok()) step = done->value();
      return done.status();
    }));
    longest = std::max(longest, absl::Now() - step_begin);
  } while (step.records > 0);
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  const Sizes after = ReadSizes(database);
  Print("rolled_up", kRecords / seconds, "records/s");
  Print("longest_transaction", absl::ToDoubleMilliseconds(longest), "ms");
  Print("bytes_per_record", static_cast<double>(before.ledger) / kRecords, "bytes");
  Print("bytes_per_record_rolled_up", static_cast<double>(after.buckets) / kRecords, "bytes");
  Print("buckets", static_cast<double>(after.bucket_rows), "rows");
}

void Run() {
  std::string directory = "/tmp/retention-bench-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) Check(absl::InternalError("cannot create a folder"));
  // PostgreSQL may run as another user.
  std::filesystem::permissions(directory, std::filesystem::perms(0755));
  {
    auto postgres = storage::EmbeddedPostgres::Start({.data_dir = directory + "/data"});
    Check(postgres.status());
    Measure((*postgres)->Url());
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace priorityd::bench

int main() {
  priorityd::bench::Run();
  return 0;
}
