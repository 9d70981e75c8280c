// What a usage domain costs: its recalculation with 100,000 associations, of which a hundredth has
// a new record in one of 100 members, settlement included, beside a cluster of the same tree to
// which the same records are charged directly, without and with the time of writing them there; the
// recalculation of the domain and all its members, beside that of the same clusters without a
// domain; and the recalculation of a member with that tree, beside the same cluster without a
// domain. In processor time, by turns. Prints one JSON line per figure.
//
// usage: domains_bench

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "server/recalculation/recalculation.h"
#include "storage/database/database.h"
#include "storage/schema/migration.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/figures.h"
#include "tests/bench/processor_time.h"

namespace priorityd::bench {
namespace {

constexpr int kDomainRounds = 7;
constexpr int kDomainMembers = 100;
// That of a database that nobody has led yet.
constexpr int64_t kUnledEpoch = 0;

// Accounts of these numbers with 9 users each, in a new cluster of that name.
constexpr char kDomainTree[] =
    "SET LOCAL session_replication_role = replica; "
    "INSERT INTO priorityd.cluster (name) VALUES ('%1$s'); "
    "INSERT INTO priorityd.association (cluster_id, account) "
    "SELECT id, 'root' FROM priorityd.cluster WHERE name = '%1$s'; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, raw_shares) "
    "SELECT r.cluster_id, r.id, 'a' || i, 1 + i %% 7 FROM priorityd.association r "
    "JOIN priorityd.cluster c ON c.id = r.cluster_id, generate_series(%2$d, %3$d) AS i "
    "WHERE c.name = '%1$s' AND r.account = 'root'; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name, raw_shares) "
    "SELECT a.cluster_id, a.id, a.account, 'u' || i, 1 + i %% 5 FROM priorityd.association a "
    "JOIN priorityd.cluster c ON c.id = a.cluster_id, generate_series(1, 9) AS i "
    "WHERE c.name = '%1$s' AND a.account <> 'root'; "
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of) "
    "SELECT a.id, a.cluster_id, 1e9 / (3 + a.id %% 1009), timestamptz '2026-01-01' "
    "FROM priorityd.association a JOIN priorityd.cluster c ON c.id = a.cluster_id "
    "WHERE c.name = '%1$s' AND a.user_name <> ''";

// A record for the last user of every tenth account, in the clusters of the pattern.
constexpr char kDomainRecords[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT a.cluster_id, 's', '%1$s-' || a.id, '', "
    "a.user_name, a.account, '', '', timestamptz '%1$s' - interval '1 hour', "
    "timestamptz '%1$s', '{1}', '{4}', '', a.id, 4, 1 FROM priorityd.association a "
    "JOIN priorityd.cluster c ON c.id = a.cluster_id WHERE c.name LIKE '%2$s' "
    "AND a.user_name = 'u9' AND a.account LIKE 'a%%0'";
constexpr char kDomainUsage[] =
    "UPDATE priorityd.association_usage u SET value = value + 1000, "
    "changed_xid = pg_current_xact_id()::text::bigint FROM priorityd.association a "
    "JOIN priorityd.cluster c ON c.id = a.cluster_id WHERE c.name LIKE '%s' "
    "AND u.cluster_id = a.cluster_id AND u.association_id = a.id "
    "AND a.user_name = 'u9' AND a.account LIKE 'a%%0'";

constexpr char kDomainJoin[] =
    "INSERT INTO priorityd.domain_member (cluster_id, domain_id, price_tres, prices, counts_from) "
    "SELECT m.id, d.id, '{}', '{}', '-infinity' FROM priorityd.cluster m, priorityd.cluster d "
    "WHERE m.name LIKE '%s' AND d.name = 'domain'";

// Clusters that are recalculated, in this order, after new records in those of the pattern.
struct Turn {
  std::vector<std::string> clusters;
  const char* recorded_in;
  // The least seconds of processor time.
  double recording = std::numeric_limits<double>::infinity();
  double work = std::numeric_limits<double>::infinity();
};

class BenchedDomain {
 public:
  explicit BenchedDomain(const std::string& url) : database_({.url = url, .pool_size = 2}) {
    Check(storage::Migrate(database_));
    for (const char* whole : {"alone", "beside", "domain"}) Run(TreeOf(whole, 1, 10'000));
    for (int i = 0; i < kDomainMembers; ++i) {
      for (const char* part : {"apart", "member"}) {
        Run(TreeOf(absl::StrCat(part, i), 100 * i + 1, 100 * (i + 1)));
      }
    }
    Join("member%");
    Run("ANALYZE");
  }

  void Join(const char* clusters) { Run(absl::StrFormat(kDomainJoin, clusters)); }

  // Takes turns, so that each of them meets the same machine.
  void Measure(const std::vector<Turn*>& turns) {
    for (const Turn* turn : turns) RecalculateAll(turn->clusters);
    for (int i = 0; i < kDomainRounds; ++i) {
      for (Turn* turn : turns) {
        const ProcessorStopwatch recording;
        Record(turn->recorded_in);
        turn->recording = std::min(turn->recording, recording.Seconds());
        const ProcessorStopwatch work;
        RecalculateAll(turn->clusters);
        turn->work = std::min(turn->work, work.Seconds());
      }
    }
  }

  void Recalculate(const std::string& cluster) {
    time_ += absl::Minutes(5);
    Check(recalculator_.Recalculate(cluster, {.now = time_}, kUnledEpoch).status());
  }

 private:
  static std::string TreeOf(const std::string& cluster, int first, int last) {
    return absl::StrFormat(kDomainTree, cluster, first, last);
  }

  void Run(const std::string& sql) { RunScript(database_, sql); }

  void Record(const char* clusters) {
    const std::string at = absl::FormatTime(time_, absl::UTCTimeZone());
    Run(absl::StrFormat(kDomainRecords, at, clusters));
    Run(absl::StrFormat(kDomainUsage, clusters));
  }

  void RecalculateAll(const std::vector<std::string>& clusters) {
    for (const std::string& cluster : clusters) Recalculate(cluster);
  }

  storage::Database database_;
  recalculation::Recalculator recalculator_{&database_, {.interval = absl::InfiniteDuration()}};
  absl::Time time_ = absl::FromUnixSeconds(1'767'571'200);
};

void PrintFigure(const char* name, double value, double reference) {
  Print({absl::StrCat("domains_", name), value, reference, 1.2, "s"});
}

std::vector<std::string> Numbered(const char* name) {
  std::vector<std::string> names;
  for (int i = 0; i < kDomainMembers; ++i) names.push_back(absl::StrCat(name, i));
  return names;
}

void MeasureDomain(BenchedDomain& domain) {
  Turn alone{{"alone"}, "alone"};
  Turn apart{Numbered("apart"), "apart%"};
  Turn whole{{"domain"}, "member%"};
  Turn all{Numbered("member"), "member%"};
  all.clusters.insert(all.clusters.begin(), "domain");
  domain.Measure({&alone, &whole, &apart, &all});
  PrintFigure("recalculation_100_members", whole.work, alone.work);
  PrintFigure("recalculation_100_members_recorded", whole.work, alone.recording + alone.work);
  PrintFigure("all_of_100_members", all.work, apart.work);
  domain.Join("beside");
  domain.Recalculate("domain");
  Turn without{{"alone"}, "alone"};
  Turn member{{"beside"}, "beside"};
  domain.Measure({&without, &member});
  PrintFigure("member_of_100000", member.work, without.work);
}

}  // namespace
}  // namespace priorityd::bench

int main() {
  priorityd::bench::WithPostgres([](const std::string& url) {
    priorityd::bench::BenchedDomain domain(url);
    priorityd::bench::MeasureDomain(domain);
  });
  return 0;
}
