#include "server/metrics/ledger_watch.h"

#include <algorithm>
#include <utility>

#include "engine/priority/site/policy.h"
#include "server/grants/stored_prices.h"
#include "server/metrics/domain_metrics.h"
#include "server/usage/ledger_horizon.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::metrics {
namespace {

// The time by which the oldest record exceeds the age of roll-up.
absl::Duration LagOf(const storage::LedgerAge& age, const priority::Snapshot& snapshot,
                     absl::Time now) {
  if (!age.oldest_end.has_value()) return absl::ZeroDuration();
  const bool is_manual = snapshot.policy().clock == priority::ClockMode::kManual;
  const absl::Time time =
      is_manual ? snapshot.computed_at() : std::min(snapshot.computed_at(), now);
  const absl::Time wanted = usage::LedgerHorizon(snapshot.policy(), time);
  if (wanted == absl::InfinitePast()) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(), wanted - *age.oldest_end);
}

void AddStandbys(const std::vector<storage::StandbyLag>& standbys, Families* families) {
  Family seconds =
      families->Gauge("priorityd_standby_lag_seconds",
                      "Time since the oldest change that a standby of PostgreSQL has not replayed");
  Family bytes = families->Gauge("priorityd_standby_lag_bytes",
                                 "Log that a standby of PostgreSQL has not replayed");
  for (const storage::StandbyLag& standby : standbys) {
    seconds.Add(standby.seconds, {{"standby", standby.name}});
    bytes.Add(standby.bytes, {{"standby", standby.name}});
  }
}

absl::StatusOr<std::shared_ptr<const ClusterPrices>> ReadPrices(storage::Transaction& transaction) {
  const auto clusters = storage::PriceBookStore(transaction).ListClusters();
  if (!clusters.ok()) return clusters.status();
  auto prices = std::make_shared<ClusterPrices>();
  for (const auto& [id, name] : *clusters) {
    auto books = grants::ReadPriceBooks(transaction, id);
    if (!books.ok()) return books.status();
    prices->emplace(name, *std::move(books));
  }
  return prices;
}

}  // namespace

LedgerWatch::LedgerWatch(storage::Database* database, ClusterLabels* labels, threads::Clock clock,
                         absl::Duration period)
    : database_(database),
      labels_(labels),
      clock_(std::move(clock)),
      period_(period),
      thread_(clock_) {}

LedgerWatch::~LedgerWatch() { thread_.Stop(); }

void LedgerWatch::Start() {
  thread_.Start([this] {
    Read();
    return clock_() + period_;
  });
}

void LedgerWatch::Read() {
  const auto reading = database_->Read([](storage::Transaction& transaction) {
    storage::LedgerSizeStore store(transaction);
    absl::StatusOr<Reading> reading = Reading();
    const auto size = store.Size();
    const auto ages = store.Ages();
    if (!size.ok()) return absl::StatusOr<Reading>(size.status());
    if (!ages.ok()) return absl::StatusOr<Reading>(ages.status());
    auto standbys = storage::StandbyStore(transaction).List();
    if (!standbys.ok()) return absl::StatusOr<Reading>(standbys.status());
    const auto frozen = storage::ClusterMoveStore(transaction).CountFrozen();
    if (!frozen.ok()) return absl::StatusOr<Reading>(frozen.status());
    auto members = storage::DomainStore(transaction).List();
    if (!members.ok()) return absl::StatusOr<Reading>(members.status());
    auto prices = ReadPrices(transaction);
    if (!prices.ok()) return absl::StatusOr<Reading>(prices.status());
    reading->members = *std::move(members);
    reading->prices = *std::move(prices);
    reading->size = *size;
    reading->ages = *ages;
    reading->frozen = *frozen;
    reading->standbys = *std::move(standbys);
    return reading;
  });
  if (!reading.ok()) return;
  absl::MutexLock lock(&mutex_);
  reading_ = *reading;
  reading_.read_at = clock_();
}

void LedgerWatch::AddAges(const Reading& reading, const Snapshots& snapshots, absl::Time now,
                          Families* families) {
  ClusterFigures horizon(labels_, ClusterFigures::Together::kSmallest);
  ClusterFigures lag(labels_, ClusterFigures::Together::kLargest);
  for (const storage::LedgerAge& age : reading.ages) {
    const auto snapshot = snapshots.find(age.cluster);
    if (age.horizon != absl::InfinitePast()) {
      horizon.Add(age.cluster, absl::ToDoubleSeconds(age.horizon - absl::UnixEpoch()));
    }
    if (snapshot == snapshots.end() || snapshot->second == nullptr) continue;
    lag.Add(age.cluster, absl::ToDoubleSeconds(LagOf(age, *snapshot->second, now)));
  }
  horizon.AddTo(families->Gauge(
      "priorityd_ledger_horizon_timestamp_seconds",
      "Ledger horizon: records that end before it are rolled up; none without PurgeJobAfter"));
  lag.AddTo(families->Gauge("priorityd_retention_lag_seconds",
                            "Time by which the oldest record exceeds the age of roll-up"));
}

void LedgerWatch::AddTo(const Snapshots& snapshots, absl::Time now, Families* families) {
  Reading reading;
  {
    absl::MutexLock lock(&mutex_);
    reading = reading_;
  }
  if (reading.read_at == absl::InfinitePast()) return;
  families->Gauge("priorityd_ledger_records", "Records of the ledger, by PostgreSQL's estimate")
      .Add(static_cast<double>(reading.size.records));
  families->Gauge("priorityd_ledger_bytes", "Size of the ledger including indexes")
      .Add(static_cast<double>(reading.size.bytes));
  families->Gauge("priorityd_ledger_read_age_seconds", "Age of these figures of the ledger")
      .Add(absl::ToDoubleSeconds(clock_() - reading.read_at));
  AddAges(reading, snapshots, now, families);
  AddStandbys(reading.standbys, families);
  AddDomains(reading.members, snapshots, now, labels_, families);
  families->Gauge("priorityd_clusters_frozen", "Clusters that the switch of a move keeps unchanged")
      .Add(static_cast<double>(reading.frozen));
}

}  // namespace priorityd::metrics
