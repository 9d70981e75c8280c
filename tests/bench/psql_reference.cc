#include "tests/bench/psql_reference.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

constexpr char kPsqlTables[] =
    "CREATE SCHEMA bench; "
    "CREATE TABLE bench.usage_record (LIKE priorityd.usage_record INCLUDING ALL); "
    "CREATE TABLE bench.association_usage (LIKE priorityd.association_usage INCLUDING ALL)";

constexpr char kColumns[] =
    "(cluster_id, source, record_id, job_id, user_name, account, partition, qos, start_time, "
    "end_time, tres_ids, tres_counts, billing, replaces_record_id, association_id, qos_id, "
    "billing_rate, usage_factor)";

constexpr char kPrepare[] =
    "CREATE TEMP TABLE staging (cluster_id integer, source text, record_id text, job_id text, "
    "user_name text, account text, partition text, qos text, start_time timestamptz, "
    "end_time timestamptz, tres_ids integer[], tres_counts float8[], billing float8, "
    "replaces_record_id text, association_id bigint, qos_id bigint, billing_rate float8, "
    "usage_factor float8) ON COMMIT DELETE ROWS;\n";

constexpr char kMerge[] =
    "INSERT INTO bench.association_usage AS u (association_id, cluster_id, value, as_of, "
    "tres_ids, tres_seconds, wall_seconds) SELECT association_id, min(cluster_id), "
    "sum(billing_rate * extract(epoch FROM end_time - start_time)), max(end_time), '{1,2}', "
    "ARRAY[sum(tres_counts[1] * extract(epoch FROM end_time - start_time)), "
    "sum(tres_counts[2] * extract(epoch FROM end_time - start_time))], "
    "sum(extract(epoch FROM end_time - start_time)) FROM staging GROUP BY association_id "
    "ORDER BY association_id ON CONFLICT (cluster_id, association_id) DO UPDATE SET "
    "value = u.value + EXCLUDED.value, as_of = greatest(u.as_of, EXCLUDED.as_of), "
    "tres_seconds = ARRAY[u.tres_seconds[1] + EXCLUDED.tres_seconds[1], "
    "u.tres_seconds[2] + EXCLUDED.tres_seconds[2]], "
    "wall_seconds = u.wall_seconds + EXCLUDED.wall_seconds;\n";

}  // namespace

PsqlReference::PsqlReference(const std::string& data_dir)
    : folder_(data_dir + "/bench"), socket_dir_(data_dir + "/socket") {
  std::filesystem::create_directory(folder_);
  if (std::system(Psql(absl::StrCat("-c \"", kPsqlTables, "\"")).c_str()) != 0) Die("psql failed");
}

PsqlReference::~PsqlReference() { std::filesystem::remove_all(folder_); }

std::string PsqlReference::Psql(const std::string& arguments) const {
  return absl::StrCat("psql -X -q -v ON_ERROR_STOP=1 -h ", socket_dir_,
                      " -U priorityd -d priorityd ", arguments, " > /dev/null");
}

std::string PsqlReference::ScriptName(int client) const {
  return absl::StrCat(folder_, "/", client, ".sql");
}

void PsqlReference::WriteScript(int client, int records, int batch) {
  std::ofstream script(ScriptName(client));
  script << kPrepare;
  for (int i = 0; i < records; ++i) {
    if (i % batch == 0) script << "BEGIN;\nCOPY staging FROM stdin;\n";
    const int association = 1 + (i * 7919 + client) % (kAccounts * kUsersPerAccount);
    script << "1\tcollector-" << client << "\t" << run_ << "." << i << "\t" << 1000000 + i << "\tu"
           << association % kAccounts << "_" << association % kUsersPerAccount << "\ta"
           << association % kAccounts << "\tp1\t\t2026-01-01 00:00:" << 10 + i % 50
           << "+00\t2026-01-01 01:00:00+00\t{1,2}\t{" << 1 + i % 64 << ",4000}\t\\N\t\t"
           << association << "\t\\N\t" << 1 + i % 64 << "\t1\n";
    if (i % batch == batch - 1 || i == records - 1) {
      script << "\\.\nINSERT INTO bench.usage_record " << kColumns
             << " SELECT * FROM staging ON CONFLICT (cluster_id, source, record_id) DO NOTHING;\n"
             << kMerge << "COMMIT;\n";
    }
  }
}

double PsqlReference::Run(int clients) const {
  const absl::Time start = absl::Now();
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([this, client] {
      if (std::system(Psql("-f " + ScriptName(client)).c_str()) != 0) Die("psql failed");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return absl::ToDoubleSeconds(absl::Now() - start);
}

double PsqlReference::Seconds(int clients, int records, int batch) {
  ++run_;
  for (int client = 0; client < clients; ++client) WriteScript(client, 0, batch);
  const double to_start = Run(clients);
  for (int client = 0; client < clients; ++client) WriteScript(client, records, batch);
  return Run(clients) - to_start;
}

}  // namespace priorityd::bench
