// What one period costs a site of 100,000 associations: bytes of PostgreSQL's log and seconds
// of a recalculation before which 1 % of the associations used something, beside one before
// which all did; and those beside writing every association's numbers as a row too, which
// association_factor takes where somebody wants them. Prints one JSON line per figure.
//
// usage: period_bench

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/recalculation/recalculation.h"
#include "storage/database/database.h"
#include "storage/schema/migration.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

constexpr int kRounds = 5;
// That of a database that nobody has led yet.
constexpr int64_t kEpoch = 0;

// The parents' foreign key is not looked at: its check would be planned for a table of one row.
constexpr char kSite[] =
    "SET LOCAL session_replication_role = replica; "
    "INSERT INTO priorityd.cluster (name) VALUES ('c'); "
    "INSERT INTO priorityd.association (cluster_id, account) VALUES (1, 'root'); "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, raw_shares) "
    "SELECT 1, 1, 'a' || i, 1 + i % 7 FROM generate_series(1, 1000) AS i; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name, raw_shares) "
    "SELECT 1, a.id, a.account, 'u' || i, 1 + i % 5 FROM priorityd.association a, "
    "generate_series(1, 99) AS i WHERE a.account <> 'root'; "
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of, tres_ids, "
    "tres_seconds, wall_seconds) SELECT id, 1, 1e9 / (3 + id % 1009), timestamptz '2026-01-01' + "
    "id % 1013 * interval '1 second', '{1,2,4,1001}', "
    "ARRAY[id / 3.0, id / 7.0, id / 9.0, id / 13.0], id / 11.0 FROM priorityd.association "
    "WHERE user_name <> ''; ANALYZE";
constexpr char kPosition[] = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";

struct Cost {
  double bytes = std::numeric_limits<double>::infinity();
  double seconds = std::numeric_limits<double>::infinity();
};

class Periods {
 public:
  explicit Periods(const std::string& url) : database_({.url = url, .pool_size = 2}) {
    Check(storage::Migrate(database_));
    Run(kSite);
  }

  void Run(const std::string& sql) { RunScript(database_, sql); }

  // The least of some rounds, in each of which every n-th association uses more: what else runs
  // on the machine, and pages that are first touched after a checkpoint, only ever add.
  Cost Measure(int every) {
    Recalculate();
    Cost least;
    for (int i = 0; i < kRounds; ++i) {
      Run(
          absl::StrCat("UPDATE priorityd.association_usage SET value = value + 1000, "
                       "changed_xid = pg_current_xact_id()::text::bigint "
                       "WHERE association_id % ",
                       every, " = 0"));
      const int64_t position = Position();
      const absl::Time begin = absl::Now();
      Recalculate();
      least.seconds = std::min(least.seconds, absl::ToDoubleSeconds(absl::Now() - begin));
      least.bytes = std::min(least.bytes, static_cast<double>(Position() - position));
    }
    return least;
  }

 private:
  void Recalculate() {
    time_ += absl::Minutes(5);
    Check(recalculator_.Recalculate("c", {.now = time_}, kEpoch).status());
  }
  int64_t Position() {
    int64_t position = 0;
    Check(database_.Read([&](storage::Transaction& transaction) {
      auto read = transaction.QueryOne(storage::OnlyColumn<int64_t>, kPosition);
      if (read.ok()) position = *read;
      return read.status();
    }));
    return position;
  }

  storage::Database database_;
  recalculation::Recalculator recalculator_{&database_, {.interval = absl::InfiniteDuration()}};
  absl::Time time_ = absl::FromUnixSeconds(1'767'571'200);
};

void Measure(Periods& periods) {
  const Cost some = periods.Measure(100);
  const Cost all = periods.Measure(1);
  periods.Run("UPDATE priorityd.publication SET numbers_wanted_until = 'infinity'");
  const Cost rows = periods.Measure(1);
  Print({"period_wal_of_1_percent_100000", some.bytes / 1e6, all.bytes / 1e6, 0.1, "MB"});
  Print({"period_seconds_of_1_percent_100000", some.seconds, all.seconds, 0.5, "s"});
  Print({"period_wal_of_all_100000", all.bytes / 1e6, rows.bytes / 1e6, 0.5, "MB"});
  Print({"period_seconds_of_all_100000", all.seconds, rows.seconds, 0.8, "s"});
}

}  // namespace
}  // namespace priorityd::bench

int main() {
  priorityd::bench::WithPostgres([](const std::string& url) {
    priorityd::bench::Periods periods(url);
    priorityd::bench::Measure(periods);
  });
  return 0;
}
