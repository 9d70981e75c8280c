#include "server/administration/settings/to_storage.h"

#include "absl/strings/match.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/conf/reservation_words.h"

namespace priorityd::administration {
namespace {

// Whole seconds; nullopt for an infinite duration.
std::optional<absl::Duration> ToSeconds(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return std::nullopt;
  return absl::Trunc(duration, absl::Seconds(1));
}

}  // namespace

std::vector<storage::NamedAmount> ToStorage(const priority::TresMap& tres) {
  std::vector<storage::NamedAmount> amounts;
  for (const auto& [name, amount] : tres) amounts.push_back({name, amount});
  return amounts;
}

std::optional<double> ToMinutes(const std::optional<absl::Duration>& duration) {
  if (!duration.has_value() || *duration == absl::InfiniteDuration()) return std::nullopt;
  return absl::ToDoubleMinutes(*duration);
}

storage::Reservation ToStorage(int32_t cluster_id, const priority::Reservation& reservation) {
  return {.cluster_id = cluster_id,
          .name = reservation.name,
          .start_time = reservation.start,
          .end_time = reservation.end,
          .nodes = reservation.nodes,
          .partition = reservation.partition,
          .users = reservation.users.names,
          .users_excluded = reservation.users.excludes,
          .accounts = reservation.accounts.names,
          .accounts_excluded = reservation.accounts.excludes,
          .flags = slurm::ReservationFlags(reservation),
          .deleted_at = {}};
}

storage::Partition ToStorage(int32_t cluster_id, const priority::Partition& partition) {
  storage::Partition row;
  row.cluster_id = cluster_id;
  row.name = partition.name;
  row.nodes = numbers::RoundedWhole(partition.nodes);
  row.tres = ToStorage(partition.tres);
  row.is_default = partition.is_default;
  row.priority_job_factor = partition.priority_job_factor;
  row.priority_tier = partition.priority_tier;
  row.billing_weights = ToStorage(partition.billing_weights);
  row.max_time = ToSeconds(partition.max_time);
  if (partition.default_time.has_value()) row.default_time = ToSeconds(*partition.default_time);
  row.min_nodes = partition.min_nodes;
  row.max_nodes = partition.max_nodes;
  row.allow_accounts = partition.allow_accounts;
  row.deny_accounts = partition.deny_accounts;
  row.allow_qos = partition.allow_qos;
  row.deny_qos = partition.deny_qos;
  row.qos = partition.qos;
  row.state = std::string(slurm::PartitionState(partition));
  row.root_only = partition.root_only;
  row.max_cpus_per_node = partition.max_cpus_per_node;
  row.max_mem_per_node = partition.max_mem_per_node;
  row.allow_groups = partition.allow_groups;
  if (partition.preemptible) row.preempt_mode = slurm::PreemptModeText(partition);
  return row;
}

bool IsCoordinatorOption(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "Coordinator") ||
         absl::EqualsIgnoreCase(name, "Coordinators");
}

storage::Association ToStorage(int32_t cluster_id, const slurm::DumpAssociation& given) {
  const priority::Association& association = given.association;
  storage::Association row;
  row.cluster_id = cluster_id;
  row.account = association.account;
  row.user_name = association.user;
  row.partition = association.partition;
  row.raw_shares = association.raw_shares;
  row.priority = association.priority;
  row.default_qos = association.default_qos;
  row.qos = association.qos;
  row.description = given.description;
  row.organization = given.organization;
  row.max_jobs_accrue = association.limits.max_jobs_accrue;
  row.grp_jobs_accrue = association.limits.grp_jobs_accrue;
  row.max_submit_jobs = association.limits.max_submit_jobs;
  row.grp_tres_mins = ToStorage(association.limits.grp_tres_mins);
  row.grp_wall_minutes = ToMinutes(association.limits.grp_wall);
  for (const slurm::DumpOption& option : given.other_options) {
    if (IsCoordinatorOption(option.name)) continue;
    row.other_limits.push_back({option.name, option.value});
  }
  return row;
}

}  // namespace priorityd::administration
