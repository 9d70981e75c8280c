#include "server/metrics/snapshot_metrics.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/policy.h"

namespace priorityd::metrics {
namespace {

using Together = ClusterFigures::Together;

double UnixSeconds(absl::Time time) { return absl::ToDoubleSeconds(time - absl::UnixEpoch()); }

size_t CountUsers(const priority::AssociationTree& tree) {
  absl::flat_hash_set<absl::string_view> users;
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    if (tree.is_user(i)) users.insert(tree.user(i));
  }
  return users.size();
}

}  // namespace

size_t SnapshotMetrics::UsersOf(const priority::Snapshot& snapshot) {
  absl::MutexLock lock(&mutex_);
  Users& users = users_[snapshot.cluster().name];
  if (users.generation != snapshot.generation()) {
    users = {snapshot.generation(), CountUsers(snapshot.tree())};
  }
  return users.count;
}

void SnapshotMetrics::AddSizes(const Snapshots& snapshots, Families* families) {
  ClusterFigures associations(labels_), accounts(labels_), users(labels_), qos(labels_);
  for (const auto& [cluster, snapshot] : snapshots) {
    if (snapshot == nullptr) continue;
    const priority::AssociationTree& tree = snapshot->tree();
    associations.Add(cluster, tree.size());
    accounts.Add(cluster, tree.size() - tree.user_count());
    users.Add(cluster, static_cast<double>(UsersOf(*snapshot)));
    qos.Add(cluster, static_cast<double>(snapshot->qos().size()));
  }
  associations.AddTo(families->Gauge("priorityd_associations", "Associations, including accounts"));
  accounts.AddTo(families->Gauge("priorityd_accounts", "Accounts, including root"));
  users.AddTo(families->Gauge("priorityd_users", "Distinct users of the associations"));
  qos.AddTo(families->Gauge("priorityd_qos", "QOS"));
}

void SnapshotMetrics::AddTo(const Snapshots& snapshots, absl::Time now, Families* families) {
  ClusterFigures computed_at(labels_, Together::kSmallest), age(labels_, Together::kLargest),
      ahead(labels_, Together::kLargest), generation(labels_, Together::kLargest);
  for (const auto& [cluster, snapshot] : snapshots) {
    if (snapshot == nullptr) continue;
    computed_at.Add(cluster, UnixSeconds(snapshot->computed_at()));
    generation.Add(cluster, static_cast<double>(snapshot->generation()));
    if (snapshot->policy().clock == priority::ClockMode::kManual) continue;
    const double seconds = absl::ToDoubleSeconds(now - snapshot->computed_at());
    age.Add(cluster, std::max(0.0, seconds));
    ahead.Add(cluster, std::max(0.0, -seconds));
  }
  families->Gauge("priorityd_clusters", "Clusters, including those without a snapshot")
      .Add(static_cast<double>(snapshots.size()));
  computed_at.AddTo(families->Gauge("priorityd_recalculation_last_success_timestamp_seconds",
                                    "Time for which the newest snapshot was computed"));
  age.AddTo(families->Gauge("priorityd_snapshot_age_seconds",
                            "Age of the newest snapshot; not for clusters on a manual clock"));
  ahead.AddTo(families->Gauge(
      "priorityd_snapshot_ahead_seconds",
      "Distance of the newest snapshot into the future: the database's clock was wrong"));
  generation.AddTo(
      families->Gauge("priorityd_snapshot_generation",
                      "Generation of the newest snapshot: the number of recalculations so far"));
  AddSizes(snapshots, families);
}

}  // namespace priorityd::metrics
