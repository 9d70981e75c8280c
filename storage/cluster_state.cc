#include "storage/cluster_state.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "storage/tres_store.h"

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

}  // namespace

absl::StatusOr<ClusterState> ReadClusterConfiguration(Transaction& transaction,
                                                      const std::string& cluster_name) {
  absl::StatusOr<std::optional<Cluster>> cluster = ClusterStore(transaction).Find(cluster_name);
  if (!cluster.ok()) return cluster.status();
  if (!cluster->has_value()) {
    return absl::NotFoundError(
        absl::StrCat("cluster: got \"", cluster_name, "\", want the name of a known one"));
  }
  ClusterState state;
  state.cluster = **std::move(cluster);
  const int32_t id = state.cluster.id;
  AssociationStore associations(transaction);
  QosStore qos(transaction);
  PartitionStore partitions(transaction);
  PolicyStore policies(transaction);
  absl::Status status;
  Take(TresStore(transaction).List(), &state.tres, &status);
  Take(associations.List(id), &state.associations, &status);
  Take(associations.ListDeleted(id), &state.deleted_associations, &status);
  Take(ClusterUserStore(transaction).List(id), &state.users, &status);
  Take(qos.List(id), &state.qos, &status);
  Take(qos.ListDeleted(id), &state.deleted_qos, &status);
  Take(partitions.List(id), &state.partitions, &status);
  Take(partitions.ListDeleted(id), &state.deleted_partitions, &status);
  Take(policies.Newest(id), &state.policy, &status);
  Take(policies.HalfLives(id), &state.half_lives, &status);
  Take(UsageResetStore(transaction).List(id), &state.usage_resets, &status);
  Take(SnapshotStore(transaction).Newest(id), &state.snapshot, &status);
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

}  // namespace priorityd::storage
