// Many clusters in one priorityd: 3,000 of 1,000 associations each, every user with usage of four
// TRES, and a period of one minute; some use more all the time, and one has its row locked. How
// many of the recalculations that fall due within three minutes come before the next one of their
// cluster is due, and the most memory that the server takes. Prints one JSON line per figure.
//
// usage: clusters_bench PRIORITYD [CLUSTERS]
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/database/database.h"
#include "storage/schema/migration.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

constexpr int kPeriods = 3;
constexpr double kMostMiB = 1024;

// %d clusters. Triggers and foreign keys would look at each row of three million.
constexpr char kSites[] =
    "SET LOCAL session_replication_role = replica; "
    "INSERT INTO priorityd.cluster (name) SELECT 'cluster' || c FROM generate_series(1, %1$d) c; "
    "INSERT INTO priorityd.configuration_revision SELECT id, 1 FROM priorityd.cluster; "
    "INSERT INTO priorityd.policy_version (cluster_id, version, file_names, file_contents, "
    "applied_at, reset_anchor) SELECT id, 1, '{slurm.conf}', ARRAY['ClusterName=' || name || "
    "E'\\nPriorityType=priority/multifactor\\nPriorityCalcPeriod=1\\nPriorityWeightAge=1000\\n"
    "PriorityWeightFairshare=10000\\nPriorityWeightTRES=cpu=1000,mem=2000\\n'], now(), now() "
    "FROM priorityd.cluster; "
    "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name, "
    "raw_shares) SELECT c * 1000 + i, c, CASE WHEN i = 0 THEN NULL WHEN i <= 10 THEN c * 1000 "
    "ELSE c * 1000 + 1 + i %% 10 END, CASE WHEN i = 0 THEN 'root' WHEN i <= 10 THEN "
    "'account' || i - 1 ELSE 'account' || i %% 10 END, CASE WHEN i <= 10 THEN '' ELSE "
    "'user' || i END, 1 + i %% 7 FROM generate_series(1, %1$d) c, generate_series(0, 999) i; "
    "INSERT INTO priorityd.cluster_user (cluster_id, name, default_account) "
    "SELECT cluster_id, user_name, account FROM priorityd.association WHERE user_name <> ''; "
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of, tres_ids, "
    "tres_seconds, wall_seconds) SELECT id, cluster_id, 1e9 / (3 + id %% 1009), now() - "
    "id %% 1013 * interval '1 second', '{1,2,4,5}', "
    "ARRAY[id / 3.0, id / 7.0, id / 9.0, id / 13.0], id / 11.0 FROM priorityd.association "
    "WHERE user_name <> ''; ";
constexpr char kAnalyze[] = "ANALYZE";
// What one percent of the users of %d clusters used.
constexpr char kUse[] =
    "UPDATE priorityd.association_usage SET value = value + 1000, "
    "changed_xid = pg_current_xact_id()::text::bigint WHERE association_id IN "
    "(SELECT (1 + random() * (%d - 1))::integer * 1000 + 11 + (random() * 900)::integer "
    "FROM generate_series(1, %d))";
constexpr char kSlow[] =
    "SELECT FROM priorityd.publication WHERE cluster_id = 1 FOR UPDATE; SELECT pg_sleep(%d)";
constexpr char kWithSnapshot[] = "SELECT count(DISTINCT cluster_id) FROM priorityd.snapshot";
// Of what falls due from $1 on, how much was done in time. A first recalculation sets the clock.
constexpr char kKept[] =
    "WITH first AS (SELECT cluster_id, min(computed_at) AS at FROM priorityd.snapshot "
    "GROUP BY cluster_id), done AS (SELECT DISTINCT cluster_id, at + interval '1 minute' * "
    "floor(extract(epoch FROM computed_at - at) / 60) AS due FROM priorityd.snapshot JOIN first "
    "USING (cluster_id) WHERE cluster_id <> 1) SELECT count(*) FROM done "
    "WHERE due >= $1 AND due < $1 + make_interval(mins => $2)";
constexpr char kLatest[] =
    "WITH first AS (SELECT cluster_id, min(computed_at) AS at FROM priorityd.snapshot "
    "GROUP BY cluster_id) SELECT (1000 * coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY "
    "extract(epoch FROM computed_at - at)::float8 - 60 * floor(extract(epoch FROM computed_at - "
    "at)::float8 / 60)), 0))::bigint FROM priorityd.snapshot JOIN first USING (cluster_id) "
    "WHERE cluster_id <> 1 AND computed_at >= $1 AND computed_at < $1 + make_interval(mins => $2)";

// A priorityd on a database, stopped at the end.
class Server {
 public:
  Server(const std::string& binary, const std::string& url) {
    pid_ = fork();
    if (pid_ != 0) return;
    const std::string database = "--database_url=" + url;
    execl(binary.c_str(), binary.c_str(), database.c_str(), "--listen=127.0.0.1:0",
          "--history_interval=0", nullptr);
    _exit(127);
  }
  ~Server() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // VmRSS or VmHWM, in MiB.
  double Memory(const std::string& name) const {
    std::ifstream status(absl::StrCat("/proc/", pid_, "/status"));
    std::string line;
    while (std::getline(status, line)) {
      absl::string_view rest = line;
      if (!absl::ConsumePrefix(&rest, name + ":")) continue;
      double kib = 0;
      if (absl::SimpleAtod(absl::StripSuffix(rest, " kB"), &kib)) return kib / 1024;
    }
    Die("the server has ended");
  }

 private:
  pid_t pid_ = 0;
};

class Clusters {
 public:
  Clusters(const std::string& url, int count) : count_(count), database_({.url = url}) {
    Check(storage::Migrate(database_));
    Run(absl::StrFormat(kSites, count));
    Run(kAnalyze);
    Log("the clusters are there");
  }
  ~Clusters() {
    stops_ = true;
    if (users_.joinable()) users_.join();
    if (slow_.joinable()) slow_.join();
  }

  void Measure(const Server& server) {
    AwaitFirst();
    users_ = std::thread([this] { Use(); });
    absl::SleepFor(absl::Minutes(1));
    slow_ = std::thread([this] { Run(absl::StrFormat(kSlow, 60 * (kPeriods + 1))); });
    const absl::Time begin = absl::Now();
    for (int i = 0; i <= kPeriods; ++i) {
      absl::SleepFor(absl::Minutes(1));
      Log(absl::StrFormat("resident %.0f MiB", server.Memory("VmRSS")));
    }
    const double due = static_cast<double>(kPeriods) * (count_ - 1);
    Print({absl::StrCat("clusters_kept_", count_),
           static_cast<double>(Count(kKept, {begin, kPeriods})), due, 0.999, "", true});
    Print({absl::StrCat("clusters_most_memory_", count_), server.Memory("VmHWM"),
           kMostMiB * count_ / 3000, 1, "MiB"});
    Log(absl::StrFormat("99%% began within %d ms, per cluster %.0f KiB",
                        Count(kLatest, {begin, kPeriods}), 1024 * server.Memory("VmRSS") / count_));
  }

 private:
  static void Log(const std::string& line) {
    absl::FPrintF(stderr, "%s %s\n", absl::FormatTime("%H:%M:%S", absl::Now(), absl::UTCTimeZone()),
                  line);
  }

  void Run(const std::string& sql) {
    Check(database_.Write(storage::kNoLimits, [&](storage::Transaction& transaction) {
      return transaction.ExecuteScript(sql.c_str());
    }));
  }

  int64_t Count(const char* statement, std::vector<storage::Parameter> parameters = {}) {
    const auto count = database_.Read([&](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<int64_t>, statement, parameters);
    });
    Check(count.status());
    return *count;
  }

  void AwaitFirst() {
    const absl::Time begin = absl::Now();
    while (Count(kWithSnapshot) < count_) absl::SleepFor(absl::Seconds(1));
    Log(absl::StrFormat("the first recalculations took %s",
                        absl::FormatDuration(absl::Trunc(absl::Now() - begin, absl::Seconds(1)))));
  }

  // One percent of the users in a period.
  void Use() {
    while (!stops_) {
      Run(absl::StrFormat(kUse, count_, std::max(1, 10 * count_ / 60)));
      absl::SleepFor(absl::Seconds(1));
    }
  }

  const int count_;
  storage::Database database_;
  std::atomic<bool> stops_ = false;
  std::thread users_, slow_;
};

void Run(const std::string& priorityd, int count) {
  WithPostgres([&](const std::string& url) {
    Clusters clusters(url, count);
    const Server server(priorityd, url);
    clusters.Measure(server);
  });
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: clusters_bench PRIORITYD [CLUSTERS]\n");
    return 1;
  }
  priorityd::bench::Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3000);
  return 0;
}
