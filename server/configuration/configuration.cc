#include "server/configuration/configuration.h"

#include <algorithm>
#include <utility>

#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"

namespace priorityd::configuration {
namespace {

// In a cluster without NodeName lines, partitions with Nodes=ALL have all of the cluster's
// resources.
void TakeClusterTotals(const slurm::SlurmConf& conf, const priority::Cluster& cluster,
                       std::vector<priority::Partition>* partitions) {
  if (conf.cluster.has_value()) return;
  for (priority::Partition& partition : *partitions) {
    const auto& all = conf.all_nodes_partitions;
    if (std::find(all.begin(), all.end(), partition.name) == all.end()) continue;
    partition.nodes = cluster.nodes;
    partition.tres = cluster.tres;
    partition.tres.try_emplace("cpu", cluster.cpus);
    partition.tres.try_emplace("node", cluster.nodes);
  }
}

// Everything in `state` except the tree and the users.
absl::StatusOr<std::shared_ptr<const Configuration>> WithTree(
    const storage::ClusterState& state, std::shared_ptr<const priority::AssociationTree> tree,
    std::shared_ptr<const priority::DefaultAccounts> default_accounts) {
  const auto conf = ParseStored(state.policy);
  if (!conf.ok()) return conf.status();
  auto configuration = std::make_shared<Configuration>();
  configuration->revision = state.revision;
  configuration->policy_version = state.policy.has_value() ? state.policy->version : 0;
  configuration->cluster = ToEngine(state.cluster);
  configuration->policy = (*conf)->policy;
  for (const storage::Partition& row : state.partitions) {
    configuration->partitions.push_back(ToEngine(row));
  }
  for (const storage::Reservation& row : state.reservations) {
    configuration->reservations.push_back(ToEngine(row));
  }
  TakeClusterTotals(**conf, configuration->cluster, &configuration->partitions);
  for (const storage::Qos& row : state.qos) {
    configuration->qos.push_back(ToEngine(row));
    configuration->qos_ids.push_back(row.id);
  }
  configuration->default_accounts = std::move(default_accounts);
  configuration->tree = std::move(tree);
  configuration->decay = std::make_shared<const priority::UsageDecay>(
      TimelineOf(state.half_lives, (*conf)->policy), ResetRuleOf((*conf)->policy, state.policy));
  return configuration;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Configuration>> Configure(const storage::ClusterState& state) {
  auto tree = BuildTree(state.associations);
  if (!tree.ok()) return tree.status();
  return WithTree(state, *std::move(tree), DefaultAccountsOf(state.users));
}

absl::StatusOr<std::shared_ptr<const Configuration>> Reconfigure(
    const Configuration& before, const storage::ClusterState& state,
    const storage::ConfigurationChanges& changes) {
  auto tree = RebuildTree(before.tree, changes);
  if (!tree.ok()) return tree.status();
  if (*tree == nullptr) return nullptr;
  return WithTree(state, *std::move(tree),
                  changes.users_changed ? DefaultAccountsOf(state.users) : before.default_accounts);
}

priority::SnapshotSource SourceOf(const Configuration& configuration) {
  priority::SnapshotSource source;
  source.policy_version = configuration.policy_version;
  source.cluster = configuration.cluster;
  source.policy = configuration.policy;
  source.partitions = configuration.partitions;
  source.reservations = configuration.reservations;
  source.qos = configuration.qos;
  source.default_accounts = configuration.default_accounts;
  source.tree = configuration.tree;
  source.decay = configuration.decay;
  return source;
}

}  // namespace priorityd::configuration
