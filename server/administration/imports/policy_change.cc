#include "server/administration/imports/policy_change.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/numbers/whole_number.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/slurm/conf/policy_parameter_table.h"
#include "server/administration/settings/to_storage.h"
#include "server/configuration/stored_policy.h"
#include "server/usage/usage_columns.h"
#include "server/usage/validation.h"
#include "storage/configuration/partition_store.h"
#include "storage/ledger/job_end_store.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::administration {
namespace {

// The version that follows `old` at `time`; see ResetTimesOf.
absl::StatusOr<storage::PolicyVersion> NextVersion(const std::optional<storage::PolicyVersion>& old,
                                                   const slurm::SlurmConf& conf, absl::Time time,
                                                   absl::Time latest_usage) {
  const auto old_conf = configuration::ParseStored(old);
  if (!old_conf.ok()) return old_conf.status();
  const ResetTimes reset = ResetTimesOf(conf.policy, (*old_conf)->policy,
                                        old.has_value() ? &*old : nullptr, time, latest_usage);
  storage::PolicyVersion version;
  version.reset_anchor = reset.anchor;
  version.reset_floor = reset.floor;
  return version;
}

// Adds a version.
absl::StatusOr<storage::PolicyVersion> Append(storage::Transaction& transaction, int32_t cluster_id,
                                              const std::optional<storage::PolicyVersion>& old,
                                              const slurm::SlurmConf& conf,
                                              const ChangeContext& context) {
  absl::StatusOr<absl::Time> time =
      ClusterTime(transaction, cluster_id, conf.policy.clock, context.now);
  if (!time.ok()) return time.status();
  absl::Time latest_usage = absl::InfinitePast();
  if (conf.policy.reset_period == priority::ResetPeriod::kNow) {
    absl::StatusOr<absl::Time> latest = storage::UsageStore(transaction).Latest(cluster_id);
    if (!latest.ok()) return latest.status();
    latest_usage = *latest;
  }
  auto version = NextVersion(old, conf, *time, latest_usage);
  if (!version.ok()) return version.status();
  version->cluster_id = cluster_id;
  version->applied_at = context.now;
  version->applied_by = context.principal;
  return version;
}

// A record that was written before the parameter is not indexed by its job, and ends a minute after
// now at the latest.
absl::Status SwitchJobEnds(storage::Transaction& transaction, int32_t cluster_id,
                           const priority::Policy& policy, absl::Time now) {
  storage::JobEndStore store(transaction);
  if (!policy.usage_from_job_end) return store.SwitchOff(cluster_id);
  const bool is_real = policy.clock == priority::ClockMode::kReal;
  return store.SwitchOn(cluster_id, is_real ? now + usage::kMaxAhead : absl::InfinitePast());
}

// The partitions that `conf` names, and those that it changes without naming them.
std::vector<storage::Partition> Wanted(int32_t cluster_id, const slurm::SlurmConf& conf, bool clean,
                                       const std::vector<storage::Partition>& current) {
  std::vector<storage::Partition> wanted;
  absl::flat_hash_set<std::string> named;
  bool names_default = false;
  for (const priority::Partition& partition : conf.partitions) {
    wanted.push_back(ToStorage(cluster_id, partition));
    named.insert(partition.name);
    names_default |= partition.is_default;
  }
  // There is one default: a partition in the file takes it from one that is not.
  for (const storage::Partition& partition : current) {
    if (clean || !names_default || !partition.is_default || named.contains(partition.name))
      continue;
    wanted.push_back(partition);
    wanted.back().is_default = false;
  }
  return wanted;
}

absl::StatusOr<Counts> ImportPartitions(storage::Transaction& transaction, int32_t cluster_id,
                                        const slurm::SlurmConf& conf, bool clean, absl::Time now,
                                        ImportAudit* audit) {
  storage::PartitionStore store(transaction);
  auto current = store.List(cluster_id);
  if (!current.ok()) return current.status();
  return Reconcile(store, *current, Wanted(cluster_id, conf, clean, *current), clean, now,
                   [audit](const storage::Partition* before, const storage::Partition* after) {
                     RecordChange(before, after, audit);
                   });
}

// ` NAME=VALUE` of each parameter of `policy` whose value in `other` differs.
std::string Differences(const priority::Policy& policy, const priority::Policy& other) {
  std::string text;
  for (const slurm::PolicyParameter& parameter : slurm::PolicyParameterTable()) {
    const std::string value = parameter.write(policy);
    if (value == parameter.write(other)) continue;
    absl::StrAppend(&text, " ", parameter.name, "=", value);
  }
  return text;
}

// An in-memory PartitionStore.
class PartitionRows {
 public:
  explicit PartitionRows(std::vector<storage::Partition>* rows) : rows_(*rows) {}

  absl::StatusOr<int64_t> Insert(const storage::Partition& partition) {
    rows_.push_back(partition);
    return partition.id;
  }
  absl::Status Update(const storage::Partition& partition) {
    *Find(partition.id) = partition;
    return absl::OkStatus();
  }
  absl::Status Delete(int32_t, int64_t id, absl::Time) {
    rows_.erase(Find(id));
    return absl::OkStatus();
  }

 private:
  std::vector<storage::Partition>::iterator Find(int64_t id) {
    return absl::c_find_if(rows_, [id](const storage::Partition& row) { return row.id == id; });
  }

  std::vector<storage::Partition>& rows_;
};

// Sets the totals from NodeName and Licenses lines; others stay.
storage::Cluster WithTotals(storage::Cluster cluster, const slurm::SlurmConf& conf) {
  if (conf.cluster.has_value()) {
    cluster.nodes = numbers::RoundedWhole(conf.cluster->nodes);
    cluster.cpus = conf.cluster->cpus;
    cluster.tres = ToStorage(conf.cluster->tres);
  } else if (conf.has_licenses) {
    priority::TresMap tres = conf.licenses;
    for (const storage::NamedAmount& amount : cluster.tres) {
      if (!absl::StartsWith(amount.name, "license/")) tres[amount.name] = amount.amount;
    }
    cluster.tres = ToStorage(tres);
  }
  return cluster;
}

}  // namespace

ResetTimes ResetTimesOf(const priority::Policy& policy, const priority::Policy& old_policy,
                        const storage::PolicyVersion* old, absl::Time time,
                        absl::Time latest_usage) {
  ResetTimes reset;
  reset.anchor = time;
  if (old != nullptr) {
    const std::optional<storage::PolicyVersion> version = *old;
    reset.floor = old->reset_floor;
    if (time > absl::InfinitePast()) {
      reset.floor = std::max(
          reset.floor, priority::LastReset(configuration::ResetRuleOf(old_policy, version), time));
    }
    const bool same_interval = policy.reset_period == priority::ResetPeriod::kInterval &&
                               old_policy.reset_period == priority::ResetPeriod::kInterval &&
                               policy.reset_interval == old_policy.reset_interval;
    if (same_interval) reset.anchor = old->reset_anchor;
  }
  if (policy.reset_period == priority::ResetPeriod::kNow) {
    // A row with as_of at the floor would not be reset.
    reset.floor = std::max({reset.floor, time, latest_usage + absl::Microseconds(1)});
  }
  return reset;
}

absl::StatusOr<PolicyChange> AppendPolicy(storage::Transaction& transaction, int32_t cluster_id,
                                          const std::vector<storage::PolicyFile>& files,
                                          const slurm::SlurmConf& conf,
                                          const ChangeContext& context,
                                          const std::string& comment) {
  storage::PolicyStore policies(transaction);
  auto old = policies.Newest(cluster_id);
  if (!old.ok()) return old.status();
  PolicyChange change;
  if (old->has_value() && (*old)->files == files) {
    change.version = **std::move(old);
    return change;
  }
  auto version = Append(transaction, cluster_id, *old, conf, context);
  if (!version.ok()) return version.status();
  change.version = *std::move(version);
  change.version.files = files;
  change.version.comment = comment;
  absl::StatusOr<int64_t> number = policies.Append(change.version);
  if (!number.ok()) return number.status();
  change.version.version = *number;
  change.created = true;
  absl::Status switched = SwitchJobEnds(transaction, cluster_id, conf.policy, context.now);
  if (!switched.ok()) return switched;
  return change;
}

absl::StatusOr<PolicyChange> ApplyPolicy(storage::Transaction& transaction,
                                         const storage::Cluster& cluster,
                                         const std::vector<storage::PolicyFile>& files,
                                         const slurm::SlurmConf& conf, const ChangeContext& context,
                                         const std::string& comment, bool clean,
                                         ImportAudit* audit) {
  auto appended = AppendPolicy(transaction, cluster.id, files, conf, context, comment);
  if (!appended.ok()) return appended.status();
  PolicyChange change = *std::move(appended);
  auto partitions = ImportPartitions(transaction, cluster.id, conf, clean, context.now, audit);
  if (!partitions.ok()) return partitions.status();
  change.partitions = *partitions;
  const storage::Cluster with_totals = WithTotals(cluster, conf);
  change.totals_changed = !(with_totals == cluster);
  if (!change.totals_changed) return change;
  RecordChange(cluster, with_totals, audit);
  absl::Status updated = storage::ClusterStore(transaction).Update(with_totals);
  if (!updated.ok()) return updated;
  return change;
}

absl::StatusOr<VersionTexts> DescribeVersions(storage::Transaction& transaction, int32_t cluster_id,
                                              const PolicyChange& change,
                                              const priority::Policy& policy) {
  const int64_t version = change.version.version;
  const int64_t before = change.created ? version - 1 : version;
  auto old = storage::PolicyStore(transaction).Find(cluster_id, before);
  if (!old.ok()) return old.status();
  const auto old_conf = configuration::ParseStored(*old);
  if (!old_conf.ok()) return old_conf.status();
  const priority::Policy& was = (*old_conf)->policy;
  VersionTexts texts;
  if (before > 0) {
    texts.before = absl::StrCat("policy version ", before, Differences(was, policy));
  }
  texts.after = absl::StrCat("policy version ", version, Differences(policy, was));
  return texts;
}

absl::Status SupposePolicy(const std::vector<storage::PolicyFile>& files,
                           const slurm::SlurmConf& conf, absl::Time now,
                           storage::ClusterState* state) {
  if (!state->policy.has_value() || state->policy->files != files) {
    absl::Time time = now;
    if (conf.policy.clock == priority::ClockMode::kManual) {
      time = state->snapshot.has_value() ? state->snapshot->computed_at : absl::InfinitePast();
    }
    auto version = NextVersion(state->policy, conf, time, usage::LatestUsage(*state));
    if (!version.ok()) return version.status();
    version->files = files;
    version->version = state->policy.has_value() ? state->policy->version + 1 : 1;
    state->policy = *std::move(version);
  }
  const std::vector<storage::Partition> current = state->partitions;
  PartitionRows rows(&state->partitions);
  auto counts = Reconcile(rows, current, Wanted(state->cluster.id, conf, /*clean=*/false, current),
                          /*clean=*/false, now);
  state->cluster = WithTotals(state->cluster, conf);
  return counts.status();
}

}  // namespace priorityd::administration
