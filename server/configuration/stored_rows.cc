#include "server/configuration/stored_rows.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/conf/reservation_words.h"
#include "engine/slurm/dump/engine_values.h"
#include "engine/slurm/dump/limit_words.h"
#include "server/configuration/shared_values.h"

namespace priorityd::configuration {
namespace {

std::optional<uint32_t> ToUint32(const std::optional<int64_t>& value) {
  if (!value.has_value()) return std::nullopt;
  return static_cast<uint32_t>(*value);
}

std::shared_ptr<const priority::AssociationTree> ShareTree(priority::AssociationTree tree) {
  static auto* const trees = new SharedValues<priority::AssociationTree>;
  return trees->Share(std::move(tree));
}

absl::StatusOr<std::shared_ptr<const priority::AssociationTree>> BuildShared(
    std::vector<priority::Association> associations) {
  absl::StatusOr<priority::AssociationTree> tree =
      priority::AssociationTree::Build(std::move(associations));
  if (!tree.ok()) return absl::InternalError(tree.status().message());
  return ShareTree(*std::move(tree));
}

// Views of `users`.
std::vector<priority::DefaultAccounts::UserAndAccount> Given(
    const std::vector<storage::ClusterUser>& users) {
  std::vector<priority::DefaultAccounts::UserAndAccount> given;
  for (const storage::ClusterUser& user : users) {
    if (!user.default_account.empty()) given.emplace_back(user.name, user.default_account);
  }
  return given;
}

std::shared_ptr<const priority::DefaultAccounts> ShareAccounts(priority::DefaultAccounts given) {
  static auto* const accounts = new SharedValues<priority::DefaultAccounts>;
  return accounts->Share(std::move(given));
}

}  // namespace

priority::TresMap ToEngine(const std::vector<storage::NamedAmount>& amounts) {
  priority::TresMap tres;
  for (const storage::NamedAmount& amount : amounts) tres[amount.name] = amount.amount;
  return tres;
}

priority::Association ToEngine(const storage::Association& row) {
  priority::Association association;
  association.id = row.id;
  association.parent_id = row.parent_id.value_or(0);
  association.account = row.account;
  association.user = row.user_name;
  association.partition = row.partition;
  association.raw_shares = ToUint32(row.raw_shares);
  association.priority = ToUint32(row.priority);
  association.default_qos = row.default_qos;
  association.qos = row.qos;
  association.limits.max_jobs_accrue = ToUint32(row.max_jobs_accrue);
  association.limits.grp_jobs_accrue = ToUint32(row.grp_jobs_accrue);
  association.limits.max_submit_jobs = ToUint32(row.max_submit_jobs);
  if (row.grp_wall_minutes.has_value()) {
    association.limits.grp_wall = absl::Minutes(*row.grp_wall_minutes);
  }
  association.limits.grp_tres_mins = ToEngine(row.grp_tres_mins);
  for (const storage::KeyValue& limit : row.other_limits) {
    // Invalid values are refused when set, unless stored before they were enforced.
    slurm::AddAssociationLimit(limit.key, limit.value, &association.limits.others).IgnoreError();
  }
  return association;
}

absl::StatusOr<std::shared_ptr<const priority::AssociationTree>> BuildTree(
    const std::vector<storage::Association>& rows) {
  std::vector<priority::Association> associations;
  associations.reserve(rows.size());
  for (const storage::Association& row : rows) associations.push_back(ToEngine(row));
  return BuildShared(std::move(associations));
}

absl::StatusOr<std::shared_ptr<const priority::AssociationTree>> RebuildTree(
    std::shared_ptr<const priority::AssociationTree> before,
    const storage::ConfigurationChanges& changes) {
  const auto count = static_cast<size_t>(changes.association_count);
  absl::flat_hash_set<int64_t> written;
  for (const storage::Association& row : changes.associations) written.insert(row.id);
  for (const storage::Association& row : changes.deleted_associations) written.insert(row.id);
  if (written.empty() && static_cast<size_t>(before->size()) == count) return before;
  std::vector<priority::Association> associations;
  associations.reserve(count);
  for (priority::AssociationIndex i = 0; i < before->size(); ++i) {
    if (!written.contains(before->id()[i])) associations.push_back(before->association(i));
  }
  for (const storage::Association& row : changes.associations) {
    associations.push_back(ToEngine(row));
  }
  if (associations.size() != count) return nullptr;
  return BuildShared(std::move(associations));
}

std::shared_ptr<const priority::AssociationTree> MergeUsers(const priority::AssociationTree& tree,
                                                            priority::UserMerges merges) {
  return ShareTree(tree.WithMergedUsers(std::move(merges)));
}

priority::UserMerges ToEngine(const std::vector<storage::UserMerge>& rows) {
  priority::UserMerges merges;
  for (const storage::UserMerge& row : rows) merges[row.from_user] = row.into_user;
  return merges;
}

std::shared_ptr<const priority::DefaultAccounts> DefaultAccountsOf(
    const std::vector<storage::ClusterUser>& users) {
  return ShareAccounts(priority::DefaultAccounts(Given(users)));
}

std::shared_ptr<const priority::DefaultAccounts> WithDefaultAccounts(
    const priority::DefaultAccounts& base, const std::vector<storage::ClusterUser>& users) {
  return ShareAccounts(base.With(Given(users)));
}

priority::Cluster ToEngine(const storage::Cluster& row) {
  priority::Cluster cluster;
  cluster.name = row.name;
  cluster.nodes = static_cast<double>(row.nodes.value_or(0));
  cluster.cpus = row.cpus.value_or(0);
  cluster.tres = ToEngine(row.tres);
  return cluster;
}

bool HasFlag(const storage::Qos& qos, absl::string_view flag) {
  for (const std::string& has : qos.flags) {
    if (absl::EqualsIgnoreCase(has, flag)) return true;
  }
  return false;
}

priority::Qos ToEngine(const storage::Qos& row) {
  priority::Qos qos;
  qos.name = row.name;
  qos.priority = static_cast<uint32_t>(row.priority);
  qos.usage_factor = row.usage_factor;
  qos.usage_threshold = row.usage_threshold;
  qos.preempt = row.preempt;
  qos.grp_tres_mins = ToEngine(row.grp_tres_mins);
  if (row.grp_wall_minutes.has_value()) qos.grp_wall = absl::Minutes(*row.grp_wall_minutes);
  qos.max_submit_jobs_per_user = ToUint32(row.max_submit_jobs_per_user);
  // Invalid values are refused when set, unless stored before they were enforced.
  for (const storage::KeyValue& limit : row.other_limits) {
    slurm::SetQosLimit(limit.key, limit.value, &qos);
  }
  slurm::SetQosFlags(row.flags, &qos);
  return qos;
}

priority::Reservation ToEngine(const storage::Reservation& row) {
  priority::Reservation reservation{.name = row.name,
                                    .start = row.start_time,
                                    .end = row.end_time,
                                    .nodes = row.nodes,
                                    .partition = row.partition,
                                    .users = {row.users, row.users_excluded},
                                    .accounts = {row.accounts, row.accounts_excluded}};
  slurm::SetReservationFlags(row.flags, &reservation);
  return reservation;
}

priority::Partition ToEngine(const storage::Partition& row) {
  priority::Partition partition;
  partition.name = row.name;
  partition.nodes = static_cast<double>(row.nodes);
  partition.tres = ToEngine(row.tres);
  partition.is_default = row.is_default;
  partition.priority_job_factor = static_cast<uint32_t>(row.priority_job_factor);
  partition.priority_tier = static_cast<uint32_t>(row.priority_tier);
  partition.billing_weights = ToEngine(row.billing_weights);
  partition.max_time = row.max_time.value_or(absl::InfiniteDuration());
  partition.default_time = row.default_time;
  partition.min_nodes = static_cast<uint32_t>(row.min_nodes);
  partition.max_nodes = ToUint32(row.max_nodes);
  partition.allow_accounts = row.allow_accounts;
  partition.deny_accounts = row.deny_accounts;
  partition.allow_qos = row.allow_qos;
  partition.deny_qos = row.deny_qos;
  partition.qos = row.qos;
  slurm::SetPartitionState(row.state, &partition);
  partition.root_only = row.root_only;
  partition.max_cpus_per_node = ToUint32(row.max_cpus_per_node);
  partition.max_mem_per_node = row.max_mem_per_node;
  partition.allow_groups = row.allow_groups;
  partition.preemptible = !row.preempt_mode.empty() && row.preempt_mode != "OFF";
  partition.preempt_mode = row.preempt_mode;
  return partition;
}

}  // namespace priorityd::configuration
