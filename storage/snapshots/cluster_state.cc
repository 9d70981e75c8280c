#include "storage/snapshots/cluster_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "storage/configuration/configuration_store.h"
#include "storage/configuration/tres_store.h"

namespace priorityd::storage {
namespace {

// Moves what was read to `field`; keeps the first error in `status`.
template <typename T>
void Take(absl::StatusOr<T> read, T* field, absl::Status* status) {
  if (read.ok()) {
    *field = *std::move(read);
  } else if (status->ok()) {
    *status = read.status();
  }
}

// Replaces the rows that `changed` has too and adds the others; both are in the
// order of ids, and so is the result.
template <typename Row>
void MergeState(std::vector<Row> changed, int64_t Row::*id, std::vector<Row>* rows) {
  if (rows->empty()) {
    *rows = std::move(changed);
    return;
  }
  const auto before = [id](const Row& a, const Row& b) { return a.*id < b.*id; };
  const size_t old_size = rows->size();
  for (Row& row : changed) {
    const auto end = rows->begin() + static_cast<ptrdiff_t>(old_size);
    const auto found = std::lower_bound(rows->begin(), end, row, before);
    if (found != end && (*found).*id == row.*id) {
      *found = std::move(row);
    } else {
      rows->push_back(std::move(row));
    }
  }
  std::inplace_merge(rows->begin(), rows->begin() + static_cast<ptrdiff_t>(old_size), rows->end(),
                     before);
}

// Removes from `rows` those that are in `living`; both are in the order of ids.
void TakeOut(const std::vector<Association>& living, std::vector<Association>* rows) {
  rows->erase(std::remove_if(rows->begin(), rows->end(),
                             [&](const Association& row) {
                               const auto found = std::lower_bound(
                                   living.begin(), living.end(), row.id,
                                   [](const Association& a, int64_t id) { return a.id < id; });
                               return found != living.end() && found->id == row.id;
                             }),
              rows->end());
}

// All of a configuration but associations and users.
ClusterState ReadSmallLists(Transaction& transaction, const Cluster& cluster,
                            absl::Status* status) {
  ClusterState state;
  state.cluster = cluster;
  const int32_t id = cluster.id;
  QosStore qos(transaction);
  PartitionStore partitions(transaction);
  PolicyStore policies(transaction);
  Take(TresStore(transaction).ListOf(id), &state.tres, status);
  Take(qos.List(id), &state.qos, status);
  Take(qos.ListDeleted(id), &state.deleted_qos, status);
  Take(partitions.List(id), &state.partitions, status);
  Take(partitions.ListDeleted(id), &state.deleted_partitions, status);
  Take(ReservationStore(transaction).List(id), &state.reservations, status);
  Take(policies.Newest(id), &state.policy, status);
  Take(policies.HalfLives(id), &state.half_lives, status);
  Take(UsageResetStore(transaction).List(id), &state.usage_resets, status);
  Take(SnapshotStore(transaction).Newest(id), &state.snapshot, status);
  Take(ConfigurationStore(transaction).Revision(id), &state.revision, status);
  return state;
}

absl::Status ReadUsers(Transaction& transaction, ClusterState* state) {
  auto users = ClusterUserStore(transaction).List(state->cluster.id);
  if (!users.ok()) return users.status();
  state->users = *std::move(users);
  state->user_count = static_cast<int64_t>(state->users.size());
  return absl::OkStatus();
}

// The usage of `before`, and how far it was read.
void TakeUsage(ClusterState* before, ClusterState* state) {
  state->association_usage = std::move(before->association_usage);
  state->qos_usage = std::move(before->qos_usage);
  state->opening_usage = std::move(before->opening_usage);
  state->usage_watermark = before->usage_watermark;
}

// Of the associations of `state` those that were written since its watermark.
absl::Status ReadWritten(Transaction& transaction, ClusterState* state,
                         ConfigurationChanges* changes) {
  AssociationStore associations(transaction);
  const int32_t id = state->cluster.id;
  auto written = associations.ListWrittenSince(id, state->usage_watermark);
  if (!written.ok()) return written.status();
  for (Association& row : *written) {
    (row.deleted_at.has_value() ? changes->deleted_associations : changes->associations)
        .push_back(std::move(row));
  }
  auto count = associations.Count(id);
  if (!count.ok()) return count.status();
  changes->association_count = *count;
  TakeOut(changes->associations, &state->deleted_associations);
  MergeState(changes->deleted_associations, &Association::id, &state->deleted_associations);
  return absl::OkStatus();
}

absl::StatusOr<ConfigurationChanges> UpdateInPart(Transaction& transaction, ClusterState* state) {
  auto cluster = ClusterStore(transaction).Require(state->cluster.name);
  if (!cluster.ok()) return cluster.status();
  absl::Status status;
  ClusterState now = ReadSmallLists(transaction, *cluster, &status);
  if (!status.ok()) return status;
  now.deleted_associations = std::move(state->deleted_associations);
  now.user_count = state->user_count;
  TakeUsage(state, &now);
  ConfigurationChanges changes;
  status = ReadWritten(transaction, &now, &changes);
  if (!status.ok()) return status;
  auto unchanged =
      ClusterUserStore(transaction).AreUnchanged(cluster->id, now.user_count, now.usage_watermark);
  if (!unchanged.ok()) return unchanged.status();
  changes.users_changed = !*unchanged;
  if (changes.users_changed) status = ReadUsers(transaction, &now);
  if (!status.ok()) return status;
  *state = std::move(now);
  return changes;
}

// All of `state` but usage.
absl::Status UpdateConfiguration(Transaction& transaction, ClusterState* state,
                                 std::optional<ConfigurationChanges>* changes) {
  const int32_t id = state->cluster.id;
  absl::StatusOr<int64_t> revision = ConfigurationStore(transaction).Revision(id);
  if (!revision.ok()) return revision.status();
  absl::Status status;
  if (*revision == state->revision) {
    Take(TresStore(transaction).ListOf(id), &state->tres, &status);
    Take(SnapshotStore(transaction).Newest(id), &state->snapshot, &status);
    return status;
  }
  if (changes != nullptr) {
    auto read = UpdateInPart(transaction, state);
    if (!read.ok()) return read.status();
    *changes = *std::move(read);
    return absl::OkStatus();
  }
  absl::StatusOr<ClusterState> now = ReadClusterConfiguration(transaction, state->cluster.name);
  if (!now.ok()) return now.status();
  TakeUsage(state, &*now);
  *state = *std::move(now);
  return absl::OkStatus();
}

// The rows written since the watermark. The service deletes no rows; a restore or repair of the
// database may.
absl::Status UpdateUsage(Transaction& transaction, UsageOf of, ClusterState& state) {
  std::vector<UsageRow>& rows =
      of == UsageOf::kAssociation ? state.association_usage : state.qos_usage;
  UsageStore usage(transaction);
  auto changed = usage.List(of, state.cluster.id, state.usage_watermark);
  if (!changed.ok()) return changed.status();
  auto count = usage.Count(of, state.cluster.id);
  if (!count.ok()) return count.status();
  MergeState(*std::move(changed), &UsageRow::id, &rows);
  if (static_cast<int64_t>(rows.size()) == *count) return absl::OkStatus();
  auto all = usage.List(of, state.cluster.id);
  if (all.ok()) rows = *std::move(all);
  return all.status();
}

}  // namespace

absl::StatusOr<ClusterState> ReadClusterConfiguration(Transaction& transaction,
                                                      const std::string& cluster_name) {
  absl::StatusOr<Cluster> cluster = ClusterStore(transaction).Require(cluster_name);
  if (!cluster.ok()) return cluster.status();
  absl::Status status;
  ClusterState state = ReadSmallLists(transaction, *cluster, &status);
  AssociationStore associations(transaction);
  Take(associations.List(cluster->id), &state.associations, &status);
  Take(associations.ListDeleted(cluster->id), &state.deleted_associations, &status);
  if (status.ok()) status = ReadUsers(transaction, &state);
  if (!status.ok()) return status;
  return state;
}

absl::StatusOr<ClusterState> ReadClusterState(Transaction& transaction,
                                              const std::string& cluster_name) {
  absl::StatusOr<ClusterState> state = ReadClusterConfiguration(transaction, cluster_name);
  if (!state.ok()) return state.status();
  const int32_t id = state->cluster.id;
  UsageStore usage(transaction);
  absl::Status status;
  Take(usage.Watermark(), &state->usage_watermark, &status);
  Take(usage.List(UsageOf::kAssociation, id), &state->association_usage, &status);
  Take(usage.List(UsageOf::kQos, id), &state->qos_usage, &status);
  Take(usage.ListOpening(id), &state->opening_usage, &status);
  if (!status.ok()) return status;
  return state;
}

absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state) {
  return UpdateClusterState(transaction, state, nullptr);
}

absl::Status UpdateClusterState(Transaction& transaction, ClusterState* state,
                                std::optional<ConfigurationChanges>* changes) {
  const int32_t id = state->cluster.id;
  absl::Status status = UpdateConfiguration(transaction, state, changes);
  if (!status.ok()) return status;
  UsageStore usage(transaction);
  const int64_t since = state->usage_watermark;
  int64_t watermark = since;
  std::vector<OpeningUsage> opening;
  Take(usage.Watermark(), &watermark, &status);
  Take(usage.ListOpening(id, since), &opening, &status);
  if (status.ok()) status = UpdateUsage(transaction, UsageOf::kAssociation, *state);
  if (status.ok()) status = UpdateUsage(transaction, UsageOf::kQos, *state);
  if (!status.ok()) return status;
  state->usage_watermark = watermark;
  MergeState(std::move(opening), &OpeningUsage::association_id, &state->opening_usage);
  return absl::OkStatus();
}

absl::StatusOr<ClusterState> ReadPublishedConfiguration(Transaction& transaction,
                                                        const std::string& cluster_name) {
  absl::StatusOr<std::optional<Cluster>> cluster =
      ClusterStore(transaction).Find(cluster_name, Edition::kPublished);
  if (!cluster.ok()) return cluster.status();
  if (!cluster->has_value()) return absl::NotFoundError("cluster: nothing is published");
  ClusterState state;
  state.cluster = **std::move(cluster);
  const int32_t id = state.cluster.id;
  PolicyStore policies(transaction);
  absl::Status status;
  Take(TresStore(transaction).ListOf(id), &state.tres, &status);
  Take(AssociationStore(transaction).List(id, Edition::kPublished), &state.associations, &status);
  Take(ClusterUserStore(transaction).List(id, Edition::kPublished), &state.users, &status);
  Take(QosStore(transaction).List(id, Edition::kPublished), &state.qos, &status);
  Take(PartitionStore(transaction).List(id, Edition::kPublished), &state.partitions, &status);
  Take(ReservationStore(transaction).List(id, Edition::kPublished), &state.reservations, &status);
  Take(policies.HalfLives(id, Edition::kPublished), &state.half_lives, &status);
  Take(SnapshotStore(transaction).Newest(id), &state.snapshot, &status);
  Take(ConfigurationStore(transaction).PublishedRevision(id), &state.revision, &status);
  if (!status.ok()) return status;
  if (!state.snapshot.has_value()) return absl::NotFoundError("cluster: it has no snapshot");
  Take(policies.Find(id, state.snapshot->policy_version), &state.policy, &status);
  if (!status.ok()) return status;
  return state;
}

}  // namespace priorityd::storage
