#include "server/recalculation/recalculation.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "server/priority/usage_decay.h"
#include "server/recalculation/limit_inputs.h"
#include "server/recalculation/stored_policy.h"
#include "server/recalculation/stored_rows.h"
#include "server/recalculation/usage_columns.h"
#include "storage/cluster_state.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/snapshot_store.h"
#include "storage/usage_store.h"

namespace priorityd::recalculation {
namespace {

// R of SLURM 2.0's formula: cpus * half-life * 2; without decay cpus * the
// seconds since the last reset, else since the first policy.
double LinearCapacity(const Cluster& cluster, const RecalculationInput& input) {
  const Policy& policy = input.conf.policy;
  if (policy.decays()) return cluster.cpus * absl::ToDoubleSeconds(policy.half_life) * 2;
  absl::Time since = LastReset(ResetRuleOf(policy, input.state.policy), input.time);
  if (since == absl::InfinitePast()) {
    since = input.first_policy.has_value() ? input.first_policy->reset_anchor : input.time;
  }
  return cluster.cpus * std::max(0.0, absl::ToDoubleSeconds(input.time - since));
}

// Partitions with Nodes=ALL of a cluster without NodeName lines have all of it.
void TakeClusterTotals(const slurm::SlurmConf& conf, const Cluster& cluster,
                       std::vector<Partition>* partitions) {
  if (conf.cluster.has_value()) return;
  for (Partition& partition : *partitions) {
    const auto& all = conf.all_nodes_partitions;
    if (std::find(all.begin(), all.end(), partition.name) == all.end()) continue;
    partition.nodes = cluster.nodes;
    partition.tres = cluster.tres;
    partition.tres.try_emplace("cpu", cluster.cpus);
    partition.tres.try_emplace("node", cluster.nodes);
  }
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Compute(const RecalculationInput& input) {
  const storage::ClusterState& state = input.state;
  const Policy& policy = input.conf.policy;
  SnapshotSource source;
  source.generation = state.snapshot.has_value() ? state.snapshot->generation + 1 : 1;
  source.computed_at = input.time;
  source.policy_version = state.policy.has_value() ? state.policy->version : 0;
  source.cluster = ToEngine(state.cluster);
  source.policy = policy;
  for (const storage::Partition& row : state.partitions) source.partitions.push_back(ToEngine(row));
  TakeClusterTotals(input.conf, source.cluster, &source.partitions);
  for (const storage::Qos& row : state.qos) source.qos.push_back(ToEngine(row));
  for (const storage::ClusterUser& user : state.users) {
    if (!user.default_account.empty()) source.default_account[user.name] = user.default_account;
  }
  absl::StatusOr<std::shared_ptr<const AssociationTree>> tree = BuildTree(state.associations);
  if (!tree.ok()) return tree.status();
  source.tree = *std::move(tree);
  source.decay = std::make_shared<const UsageDecay>(DecayOf(input));
  UsageColumns usage = DecayTo(input.time, state, *source.tree, *source.decay);
  source.own_usage = std::move(usage.usage);
  source.own_tres_usage = std::move(usage.tres_seconds);
  source.own_wall_seconds = std::move(usage.wall_seconds);
  source.qos_usage = QosUsageAt(input.time, state, *source.decay);
  source.recorded_until = input.recorded_until;
  source.linear_capacity = LinearCapacity(source.cluster, input);
  return std::make_shared<const Snapshot>(std::move(source));
}

// Adds to the timeline where the policy's half-life is another one.
absl::Status ExtendTimeline(storage::Transaction& transaction, const storage::ClusterState& state,
                            const Policy& policy, absl::Time time) {
  const int32_t id = state.cluster.id;
  if (!TimelineChange(state.half_lives, policy, time, time).has_value()) return absl::OkStatus();
  absl::StatusOr<absl::Time> latest = storage::UsageStore(transaction).Latest(id);
  if (!latest.ok()) return latest.status();
  return storage::PolicyStore(transaction)
      .SetHalfLife(id, *TimelineChange(state.half_lives, policy, time, *latest));
}

// Writes the generation down, unless the state has moved on since it was read.
absl::Status WriteDown(storage::Database& database, const storage::ClusterState& state,
                       const Snapshot& snapshot) {
  const int32_t id = state.cluster.id;
  return database.Write([&](storage::Transaction& transaction) -> absl::Status {
    if (absl::Status s = storage::ClusterStore(transaction).Lock(id); !s.ok()) return s;
    auto policy = storage::PolicyStore(transaction).Newest(id);
    if (!policy.ok()) return policy.status();
    const int64_t version = policy->has_value() ? (*policy)->version : 0;
    if (version != snapshot.policy_version()) return absl::AbortedError("the policy changed");
    auto generation = storage::SnapshotStore(transaction)
                          .Append({.cluster_id = id,
                                   .computed_at = snapshot.computed_at(),
                                   .policy_version = version});
    if (!generation.ok()) return generation.status();
    if (*generation != snapshot.generation()) return absl::AbortedError("another recalculation");
    return ExtendTimeline(transaction, state, snapshot.policy(), snapshot.computed_at());
  });
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Snapshot>> Recalculate(storage::Database& database,
                                                            const std::string& cluster,
                                                            const RecalculationTime& time) {
  absl::StatusOr<RecalculationInput> input = ReadInput(database, cluster, time);
  if (!input.ok()) return input.status();
  absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = Compute(*input);
  if (!snapshot.ok()) return snapshot.status();
  absl::Status written = WriteDown(database, input->state, **snapshot);
  if (!written.ok()) return written;
  return snapshot;
}

}  // namespace priorityd::recalculation
