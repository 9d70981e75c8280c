#include "server/status/heartbeat.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/time/clock.h"
#include "storage/configuration/cluster_store.h"
#include "storage/schema/migration.h"

namespace priorityd::status {
namespace {

constexpr storage::TransactionKind kLimits = {.lock = absl::Seconds(2),
                                              .statement = absl::Seconds(10)};

storage::DatabaseOptions Beside(const storage::Database& database) {
  storage::DatabaseOptions options = database.options();
  options.pool_size = 1;
  options.max_attempts = 1;
  return options;
}

std::vector<std::string> Deferred(const std::vector<int32_t>& applied) {
  std::vector<std::string> deferred;
  for (const storage::Migration& migration : storage::AllMigrations()) {
    if (absl::c_linear_search(applied, migration.version)) continue;
    deferred.emplace_back(migration.name);
  }
  return deferred;
}

}  // namespace

Heartbeat::Heartbeat(const storage::Database& database, Options options)
    : database_(Beside(database)),
      options_(std::move(options)),
      started_at_(absl::Now()),
      began_to_run_(options_.clock()),
      news_at_(began_to_run_),
      thread_(options_.clock) {}

Heartbeat::~Heartbeat() {
  thread_.Stop();
  const State last = state();
  // It never reported, perhaps as the schema does not exist: there is no row.
  if (last.is_unreachable || last.news == nullptr) return;
  database_
      .Write(kLimits,
             [this](storage::Transaction& transaction) {
               return storage::ReplicaStore(transaction).Delete(name());
             })
      .IgnoreError();
}

void Heartbeat::Start() {
  thread_.Start([this] {
    Beat();
    return options_.clock() + options_.period;
  });
}

void Heartbeat::Beat() {
  {
    absl::MutexLock lock(&mutex_);
    began_ = options_.clock();
  }
  absl::StatusOr<DatabaseNews> news = Exchange();
  absl::MutexLock lock(&mutex_);
  began_ = absl::InfiniteFuture();
  error_ = news.status();
  if (!news.ok()) return;
  news_ = std::make_shared<const DatabaseNews>(*std::move(news));
  news_at_ = options_.clock();
}

absl::StatusOr<DatabaseNews> Heartbeat::Exchange() {
  storage::Replica self = options_.self();
  self.name = name();
  self.known_migration = storage::AllMigrations().back().version;
  self.started_at = started_at_;
  return database_.Write(kLimits,
                         [&](storage::Transaction& transaction) -> absl::StatusOr<DatabaseNews> {
                           DatabaseNews news;
                           storage::ReplicaStore store(transaction);
                           if (absl::Status s = store.Report(self); !s.ok()) return s;
                           if (absl::Status s = store.DeleteUnseen(options_.expiry); !s.ok())
                             return s;
                           auto replicas = store.List();
                           if (!replicas.ok()) return replicas.status();
                           auto version = store.ServerVersion();
                           if (!version.ok()) return version.status();
                           auto migrations = store.ListMigrations();
                           if (!migrations.ok()) return migrations.status();
                           auto clusters = storage::ClusterStore(transaction).List();
                           if (!clusters.ok()) return clusters.status();
                           auto members = storage::DomainStore(transaction).List();
                           if (!members.ok()) return members.status();
                           news.domain_members = *std::move(members);
                           news.replicas = *std::move(replicas);
                           news.server_version = *std::move(version);
                           news.schema_version = migrations->empty() ? 0 : migrations->back();
                           news.deferred_migrations = Deferred(*migrations);
                           news.incarnation = transaction.incarnation();
                           for (const storage::Cluster& cluster : *clusters) {
                             news.ledger_horizons[cluster.name] = cluster.ledger_horizon;
                           }
                           return news;
                         });
}

Heartbeat::State Heartbeat::state() const {
  const absl::Time now = options_.clock();
  absl::MutexLock lock(&mutex_);
  State state{.news = news_,
              .age = now - news_at_,
              .error = error_,
              .trying = std::max(now - began_, absl::ZeroDuration())};
  state.is_unreachable = !error_.ok() || state.trying > options_.period;
  return state;
}

}  // namespace priorityd::status
