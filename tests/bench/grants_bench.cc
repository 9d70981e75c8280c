// What grants cost: a recalculation of 100,000 associations of which 1 % used something, with
// 10,000 grants beside none; the recording of usage of accounts with grants beside that without;
// and the windows of one grant over a year of 10^7 records in the ledger, read beside counting
// those records. The first two in processor time. Prints one JSON line per figure.
//
// usage: grants_bench

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "server/grants/standings.h"
#include "server/recalculation/recalculation.h"
#include "server/threads/clock.h"
#include "server/usage/usage_recorder.h"
#include "storage/database/database.h"
#include "storage/schema/migration.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/figures.h"
#include "tests/bench/processor_time.h"

namespace priorityd::bench {
namespace {

constexpr int kGrantRounds = 7;
constexpr int kRecordingRounds = 10;
constexpr int kBatches = 20;
constexpr int kBatch = 1000;
// That of a database that nobody has led yet.
constexpr int64_t kFirstEpoch = 0;
constexpr int64_t kYearOfRecords = 10'000'000;

constexpr char kGranted[] = "granted";  // Cluster 1.
constexpr char kPlain[] = "plain";      // The same without grants.

// 10,000 accounts with 9 users each, in the cluster with that name and id.
constexpr char kAccounts[] =
    "SET LOCAL session_replication_role = replica; "
    "INSERT INTO priorityd.cluster (name) VALUES ('%1$s'); "
    "INSERT INTO priorityd.association (cluster_id, account) VALUES (%2$d, 'root'); "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, raw_shares) "
    "SELECT %2$d, a.id, 'a' || i, 1 + i %% 7 FROM priorityd.association a, "
    "generate_series(1, 10000) AS i WHERE a.cluster_id = %2$d; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name, raw_shares) "
    "SELECT %2$d, a.id, a.account, 'u' || i, 1 + i %% 5 FROM priorityd.association a, "
    "generate_series(1, 9) AS i WHERE a.cluster_id = %2$d AND a.account <> 'root'; "
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of, tres_ids, "
    "tres_seconds, wall_seconds) SELECT id, %2$d, 1e9 / (3 + id %% 1009), "
    "timestamptz '2026-01-01', '{1,2,4}', ARRAY[id / 3.0, id / 7.0, id / 9.0], id / 11.0 "
    "FROM priorityd.association WHERE cluster_id = %2$d AND user_name <> ''";

// The last of them for a user.
constexpr char kGrants[] =
    "INSERT INTO priorityd.usage_grant (cluster_id, name, accounts, user_name, tres, begin_time, "
    "end_time, window_kind, rolling_days, carry_over, carry_windows, borrow, grace, use_order, "
    "consequence, demoted_qos) SELECT 1, 'g' || i, ARRAY['a' || i], '', 'billing', "
    "timestamptz '2026-01-01', 'infinity', 'month', 0, 100000, 1, 0, 0, 0, 'block', '' "
    "FROM generate_series(1, 10000) AS i; "
    "INSERT INTO priorityd.usage_grant_version (cluster_id, grant_id, number, effective_at, "
    "amount, changed_by, comment) SELECT 1, id, 1, begin_time, 6e9, 'bench', '' "
    "FROM priorityd.usage_grant; ANALYZE";

// One record for each of some users of a hundredth of the associations of the named cluster.
constexpr char kRecords[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT a.cluster_id, 's', '%1$s-' || a.id, '', "
    "a.user_name, a.account, '', '', timestamptz '%1$s' - interval '1 hour', timestamptz '%1$s', "
    "'{1}', '{4}', '', a.id, 4, 1 FROM priorityd.association a "
    "JOIN priorityd.cluster c ON c.id = a.cluster_id "
    "WHERE c.name = '%2$s' AND a.user_name <> '' AND a.id %% 100 = 0; "
    "UPDATE priorityd.association_usage u SET value = value + 1000, "
    "changed_xid = pg_current_xact_id()::text::bigint FROM priorityd.cluster c "
    "WHERE c.name = '%2$s' AND u.cluster_id = c.id AND u.association_id %% 100 = 0";

constexpr char kYear[] =
    "SET LOCAL session_replication_role = replica; "
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, "
    "partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT 1, 'y', 'y' || i, '', 'u1', 'a1', '', '', "
    "timestamptz '2025-01-01' + i * interval '3 seconds', "
    "timestamptz '2025-01-01' + i * interval '3 seconds' + interval '10 minutes', '{1}', '{4}', "
    "'', "
    "10002, 4, 1 FROM generate_series(1, %d) AS i";
constexpr char kOneGrant[] =
    "UPDATE priorityd.usage_grant SET begin_time = timestamptz '2025-01-01' WHERE name = 'g1'; "
    "UPDATE priorityd.usage_grant_version v SET effective_at = g.begin_time "
    "FROM priorityd.usage_grant g WHERE g.id = v.grant_id AND g.name = 'g1'";

// The least seconds of processor time with and without grants.
struct Both {
  double with = std::numeric_limits<double>::infinity();
  double without = std::numeric_limits<double>::infinity();
};

class TwoClusters {
 public:
  explicit TwoClusters(const std::string& url) : database_({.url = url, .pool_size = 2}) {
    Check(storage::Migrate(database_));
    Run(absl::StrFormat(kAccounts, kGranted, 1));
    Run(absl::StrFormat(kAccounts, kPlain, 2));
    Run(kGrants);
  }

  void Run(const std::string& sql) { RunScript(database_, sql); }

  // Of a recalculation after records of a hundredth of the associations.
  // That without grants comes first, as standings of grants scatter the memory of later ones.
  Both Recalculations() {
    Both least;
    for (const bool granted : {false, true}) {
      const char* cluster = granted ? kGranted : kPlain;
      double& seconds = granted ? least.with : least.without;
      Recalculate(cluster);
      for (int i = 0; i < kGrantRounds; ++i) {
        seconds = std::min(seconds, RecalculationWithRecords(cluster));
      }
    }
    return least;
  }

  // In which usage of all accounts is recorded, one batch after another.
  Both Recordings() {
    Both least;
    for (int round = 0; round < kRecordingRounds; ++round) {
      least.without = std::min(least.without, Recording(kPlain));
      least.with = std::min(least.with, Recording(kGranted));
    }
    return least;
  }

  // The seconds in which all windows of all grants are read and computed, as for a statement.
  double Statement() {
    const absl::Time begin = absl::Now();
    Check(database_.Read([&](storage::Transaction& transaction) -> absl::Status {
      auto book = grants::ReadGrantBook(transaction, 1);
      if (!book.ok()) return book.status();
      auto pools = grants::ReadPools(transaction, 1, *book);
      if (!pools.ok()) return pools.status();
      grants::WindowsOf(*book, grants::PeriodsOf(*pools), absl::UTCTimeZone(), time_);
      return absl::OkStatus();
    }));
    return absl::ToDoubleSeconds(absl::Now() - begin);
  }

  double CountRecords() {
    const absl::Time begin = absl::Now();
    Run("SELECT count(*) FROM priorityd.usage_record WHERE cluster_id = 1");
    return absl::ToDoubleSeconds(absl::Now() - begin);
  }

  // The seconds of a recalculation, of the time of day.
  double Recalculate(const char* cluster) {
    time_ += absl::Minutes(5);
    const absl::Time begin = absl::Now();
    Check(recalculator_.Recalculate(cluster, {.now = time_}, kFirstEpoch).status());
    return absl::ToDoubleSeconds(absl::Now() - begin);
  }

 private:
  double RecalculationWithRecords(const char* cluster) {
    Run(absl::StrFormat(kRecords, absl::FormatTime(time_, absl::UTCTimeZone()), cluster));
    const ProcessorStopwatch watch;
    Recalculate(cluster);
    return watch.Seconds();
  }

  double Recording(const char* cluster) {
    const ProcessorStopwatch watch;
    for (int i = 0; i < kBatches; ++i) RecordBatch(cluster);
    return watch.Seconds();
  }

  void RecordBatch(const char* cluster) {
    std::vector<std::string> ids, users, accounts;
    for (int i = 0; i < kBatch; ++i, ++recorded_) {
      ids.push_back(absl::StrCat("i", recorded_));
      users.push_back(absl::StrCat("u", 1 + recorded_ % 9));
      accounts.push_back(absl::StrCat("a", 1 + recorded_ * 7919 % 10000));
    }
    usage::SubmittedBatch batch{.cluster = cluster};
    for (int i = 0; i < kBatch; ++i) {
      batch.submissions.push_back({.source = "ingest",
                                   .record_id = ids[i],
                                   .user = users[i],
                                   .account = accounts[i],
                                   .start_time = time_ - absl::Hours(1),
                                   .end_time = time_,
                                   .tres = {{"cpu", 1 + i % 64}}});
    }
    absl::Notification recorded;
    batch.done = [&](const absl::StatusOr<usage::RecordResults>& results) {
      Check(results.status());
      for (const usage::RecordResult& result : *results) CheckAccepted(result);
      recorded.Notify();
    };
    auto place = recorder_.Reserve(kBatch);
    Check(place.status());
    recorder_.Record(std::move(batch), *std::move(place));
    recorded.WaitForNotification();
  }

  static void CheckAccepted(const usage::RecordResult& result) {
    if (result.status == usage::RecordStatus::kAccepted) return;
    Check(absl::InternalError(result.rejection.has_value() ? result.rejection->message : "twice"));
  }

  storage::Database database_;
  recalculation::Recalculator recalculator_{&database_, {.interval = absl::InfiniteDuration()}};
  usage::UsageRecorder recorder_{&database_, {.site = absl::Now, .real = threads::RunningTime}};
  int64_t recorded_ = 0;
  absl::Time time_ = absl::FromUnixSeconds(1'767'571'200);
};

void PrintRatio(const char* name, double value, double reference, double target) {
  Print({absl::StrCat("grants_", name), value, reference, target, "s"});
}

void MeasureGrants(TwoClusters& clusters) {
  const Both recalculations = clusters.Recalculations();
  PrintRatio("recalculation_10000_of_100000", recalculations.with, recalculations.without, 1.1);
  const Both recordings = clusters.Recordings();
  PrintRatio("ingest", recordings.with, recordings.without, 1.1);
  clusters.Run(absl::StrFormat(kYear, kYearOfRecords));
  const double settled = clusters.Recalculate(kGranted);
  clusters.Run(kOneGrant);
  const double summed_up = clusters.Recalculate(kGranted);
  absl::FPrintF(stderr, "grants_bench: a year is settled in %.2f s, summed up again in %.2f s\n",
                settled, summed_up);
  PrintRatio("statement_of_a_year", clusters.Statement(), clusters.CountRecords(), 1);
}

}  // namespace
}  // namespace priorityd::bench

int main() {
  priorityd::bench::WithPostgres([](const std::string& url) {
    priorityd::bench::TwoClusters clusters(url);
    priorityd::bench::MeasureGrants(clusters);
  });
  return 0;
}
