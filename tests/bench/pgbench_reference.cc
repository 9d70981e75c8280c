#include "tests/bench/pgbench_reference.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

constexpr int kSeconds = 3;

constexpr char kPgbenchTables[] =
    "CREATE SCHEMA pgbench; "
    "CREATE TABLE pgbench.numbers (id integer PRIMARY KEY, value bigint NOT NULL); "
    "CREATE TABLE pgbench.jobs (LIKE priorityd.job INCLUDING ALL); "
    "CREATE SEQUENCE pgbench.change";

constexpr char kNumbers[] =
    "\\set id random(1, 100000)\n"
    "INSERT INTO pgbench.numbers AS n (id, value) VALUES (:id, 1) "
    "ON CONFLICT (id) DO UPDATE SET value = n.value + 1;\n";

constexpr char kJobs[] =
    "\\set id random(1, 100000)\n"
    "INSERT INTO pgbench.jobs (cluster_id, change, job_id, source, name, user_name, account, "
    "partitions, qos, state, ended_as, hold, dependency, told_dependency_unmet, dependency_unmet, "
    "submit_time, accrue_time, nodes, cpus, tres_names, tres_counts, nice, site_factor, "
    "reservation, array_tasks) VALUES (1, nextval('pgbench.change'), :id, '', '', 'u7_13', 'a7', "
    "'{p1}', '{}', 'PENDING', '', '', '', false, false, '2026-01-01Z', '2026-01-01Z', 1, 8, "
    "'{mem}', '{4000}', :id, 0, '', 1) ON CONFLICT (cluster_id, job_id) DO UPDATE SET "
    "change = excluded.change, source = excluded.source, partitions = excluded.partitions, "
    "nice = excluded.nice, tres_names = excluded.tres_names;\n";

}  // namespace

PgbenchReference::PgbenchReference(const std::string& data_dir)
    : folder_(data_dir + "/pgbench"),
      connection_(absl::StrCat("-h ", data_dir, "/socket -U priorityd")) {
  std::filesystem::create_directory(folder_);
  std::ofstream(folder_ + "/numbers") << kNumbers;
  std::ofstream(folder_ + "/jobs") << kJobs;
  const std::string create = absl::StrCat("psql -X -q -v ON_ERROR_STOP=1 ", connection_, " -c \"",
                                          kPgbenchTables, "\" priorityd");
  if (std::system(create.c_str()) != 0) Die("psql failed");
}

PgbenchReference::~PgbenchReference() { std::filesystem::remove_all(folder_); }

double PgbenchReference::PerSecond(const std::string& script) const {
  const std::string result = folder_ + "/result";
  const std::string run =
      absl::StrCat("pgbench -n -c 1 -T ", kSeconds, " -f ", folder_, "/", script, " ", connection_,
                   " priorityd > ", result, " 2> /dev/null");
  if (std::system(run.c_str()) != 0) Die("pgbench failed");
  std::ifstream lines(result);
  double per_second = 0;
  for (std::string line; std::getline(lines, line);) {
    std::sscanf(line.c_str(), "tps = %lf", &per_second);
  }
  if (per_second <= 0) Die("pgbench said no tps");
  return per_second;
}

}  // namespace priorityd::bench
