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

priority::Partition WithNodesOf(const priority::Partition& base, priority::Partition partition) {
  partition.nodes = base.nodes;
  partition.tres = base.tres;
  return partition;
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

absl::StatusOr<std::shared_ptr<const Configuration>> WithOverlay(const Configuration& base,
                                                                 const Overlay& overlay) {
  storage::ConfigurationChanges changes;
  changes.associations = overlay.associations;
  changes.association_count = static_cast<int64_t>(base.tree->size());
  auto tree = RebuildTree(base.tree, changes);
  if (!tree.ok()) return tree.status();
  if (*tree == nullptr) return absl::InternalError("leases: their associations are not there");
  auto configuration = std::make_shared<Configuration>(base);
  configuration->tree = *std::move(tree);
  if (!overlay.users.empty()) {
    configuration->default_accounts = WithDefaultAccounts(*base.default_accounts, overlay.users);
  }
  for (const storage::Qos& row : overlay.qos) {
    for (size_t i = 0; i < base.qos_ids.size(); ++i) {
      if (base.qos_ids[i] == row.id) configuration->qos[i] = ToEngine(row);
    }
  }
  for (const storage::Partition& row : overlay.partitions) {
    for (priority::Partition& partition : configuration->partitions) {
      if (partition.name == row.name) partition = WithNodesOf(partition, ToEngine(row));
    }
  }
  return std::shared_ptr<const Configuration>(std::move(configuration));
}

std::shared_ptr<const Configuration> WithLeasedNices(std::shared_ptr<const Configuration> base,
                                                     priority::LeasedNices nices) {
  if (nices.empty()) return base;
  auto configuration = std::make_shared<Configuration>(*base);
  configuration->leased_nices = std::make_shared<const priority::LeasedNices>(std::move(nices));
  return configuration;
}

std::shared_ptr<const Configuration> WithMergedUsers(
    std::shared_ptr<const Configuration> base, const std::vector<storage::UserMerge>& merges) {
  if (merges.empty()) return base;
  auto configuration = std::make_shared<Configuration>(*base);
  configuration->tree = MergeUsers(*base->tree, ToEngine(merges));
  return configuration;
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
  source.leased_nices = configuration.leased_nices;
  return source;
}

}  // namespace priorityd::configuration
