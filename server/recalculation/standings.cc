#include "server/recalculation/standings.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "storage/configuration/cluster_deletion.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::recalculation {
namespace {

using Clusters = absl::StatusOr<std::vector<storage::ClusterStanding>>;

absl::StatusOr<Standings> Read(storage::Database& database,
                               absl::FunctionRef<Clusters(storage::SnapshotStore)> list) {
  Standings standings;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    Clusters read = list(storage::SnapshotStore(transaction));
    if (!read.ok()) return read.status();
    standings.incarnation = transaction.incarnation();
    standings.clusters = *std::move(read);
    auto moved = storage::ClusterMoveStore(transaction).ListMoved();
    if (!moved.ok()) return moved.status();
    for (storage::MovedCluster& cluster : *moved) {
      standings.moved.emplace(std::move(cluster.cluster), std::move(cluster.cell));
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return standings;
}

// Whether the newest snapshot of the cluster is older than that of its usage domain.
absl::StatusOr<bool> LagsDomain(storage::Transaction& transaction, int32_t cluster_id) {
  storage::DomainStore store(transaction);
  auto newest = store.NewestFor(cluster_id);
  if (!newest.ok()) return newest.status();
  auto published = store.PublishedFor(cluster_id);
  if (!published.ok()) return published.status();
  return newest->of != *published;
}

}  // namespace

absl::StatusOr<Standings> ReadStandings(storage::Database& database) {
  auto standings = Read(database, [](storage::SnapshotStore store) { return store.Standings(); });
  if (!standings.ok()) return standings;
  auto deleted = database.Read([](storage::Transaction& transaction) {
    return storage::ClusterDeletion(transaction).ListRestorable();
  });
  if (!deleted.ok()) return deleted.status();
  for (const storage::DeletedCluster& cluster : *deleted) {
    standings->deleted.emplace(cluster.cluster.name, cluster.restorable_until);
  }
  return standings;
}

absl::StatusOr<Standings> ReadStandings(storage::Database& database,
                                        const absl::btree_set<std::string>& names) {
  const std::vector<std::string> wanted(names.begin(), names.end());
  return Read(database, [&](storage::SnapshotStore store) { return store.StandingsOf(wanted); });
}

absl::StatusOr<Timing> ReadTiming(storage::Database& database, const std::string& cluster) {
  std::optional<storage::PolicyVersion> version;
  Timing timing;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    auto policy = storage::PolicyStore(transaction).Newest(found->id);
    if (!policy.ok()) return policy.status();
    version = *std::move(policy);
    auto snapshot = storage::SnapshotStore(transaction).Newest(found->id);
    if (!snapshot.ok()) return snapshot.status();
    timing.computed_at.reset();
    timing.next_lease = absl::InfiniteFuture();
    if (!snapshot->has_value()) return absl::OkStatus();
    timing.computed_at = (*snapshot)->computed_at;
    auto next = storage::LeaseStore(transaction).NextPassage(found->id, *timing.computed_at);
    if (!next.ok()) return next.status();
    timing.next_lease = next->value_or(absl::InfiniteFuture());
    auto lags = LagsDomain(transaction, found->id);
    if (!lags.ok()) return lags.status();
    timing.lags_domain = *lags;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  const auto conf = configuration::ParseStored(version);
  if (!conf.ok()) return conf.status();
  timing.policy = (*conf)->policy;
  return timing;
}

}  // namespace priorityd::recalculation
