#include "server/recalculation/recalculation.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"
#include "server/priority/usage_decay.h"
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

// What one recalculation reads.
struct Input {
  storage::ClusterState state;
  std::optional<storage::PolicyVersion> first_policy;
};

absl::StatusOr<Input> Read(storage::Database& database, const std::string& cluster) {
  Input input;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    absl::StatusOr<storage::ClusterState> state =
        storage::ReadClusterState(transaction, cluster);
    if (!state.ok()) return state.status();
    input.state = *std::move(state);
    auto first = storage::PolicyStore(transaction).Find(input.state.cluster.id, 1);
    if (!first.ok()) return first.status();
    input.first_policy = *std::move(first);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return input;
}

std::string Format(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

absl::StatusOr<absl::Time> TimeOf(ClockMode clock, const RecalculationTime& time,
                                  const std::optional<storage::SnapshotRecord>& last) {
  if (clock == ClockMode::kReal) {
    if (time.as_of.has_value()) {
      return WithReason(absl::FailedPreconditionError(
                            "as_of: got a time, want none (the cluster has no Clock=manual)"),
                        "CLOCK_IS_REAL");
    }
    return last.has_value() ? std::max(time.now, last->computed_at) : time.now;
  }
  if (!last.has_value() && !time.as_of.has_value()) {
    return WithReason(
        absl::FailedPreconditionError("as_of: got none, want the time of the first recalculation "
                                      "(the cluster has Clock=manual)"),
        "AS_OF_NEEDED");
  }
  if (!time.as_of.has_value()) return last->computed_at;
  if (last.has_value() && *time.as_of < last->computed_at) {
    return WithReason(absl::FailedPreconditionError(absl::StrCat(
                          "as_of: got ", Format(*time.as_of), ", want ",
                          Format(last->computed_at), " or later, the last recalculation's")),
                      "TIME_GOES_BACK");
  }
  return *time.as_of;
}

// R of SLURM 2.0's formula: cpus * half-life * 2; without decay cpus * the
// seconds since the last reset, else since the first policy.
double LinearCapacity(const Cluster& cluster, const Policy& policy, const ResetRule& reset,
                      const std::optional<storage::PolicyVersion>& first_policy, absl::Time time) {
  if (policy.decays()) return cluster.cpus * absl::ToDoubleSeconds(policy.half_life) * 2;
  absl::Time since = LastReset(reset, time);
  if (since == absl::InfinitePast()) {
    since = first_policy.has_value() ? first_policy->reset_anchor : time;
  }
  return cluster.cpus * std::max(0.0, absl::ToDoubleSeconds(time - since));
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

absl::StatusOr<std::shared_ptr<const Snapshot>> Compute(const Input& input,
                                                        const slurm::SlurmConf& conf,
                                                        absl::Time time) {
  const storage::ClusterState& state = input.state;
  SnapshotSource source;
  source.generation = state.snapshot.has_value() ? state.snapshot->generation + 1 : 1;
  source.computed_at = time;
  source.policy_version = state.policy.has_value() ? state.policy->version : 0;
  source.cluster = ToEngine(state.cluster);
  source.policy = conf.policy;
  for (const storage::Partition& row : state.partitions) source.partitions.push_back(ToEngine(row));
  TakeClusterTotals(conf, source.cluster, &source.partitions);
  for (const storage::Qos& row : state.qos) source.qos.push_back(ToEngine(row));
  for (const storage::ClusterUser& user : state.users) {
    if (!user.default_account.empty()) source.default_account[user.name] = user.default_account;
  }
  absl::StatusOr<std::shared_ptr<const AssociationTree>> tree = BuildTree(state.associations);
  if (!tree.ok()) return tree.status();
  source.tree = *std::move(tree);
  const ResetRule reset = ResetRuleOf(conf.policy, state.policy);
  // A change of half-life holds from `time` on at the earliest, so the timeline
  // without it decays to `time` just as well.
  UsageColumns usage =
      DecayTo(time, state, *source.tree, UsageDecay(TimelineOf(state.half_lives, conf.policy), reset));
  source.own_usage = std::move(usage.usage);
  source.own_tres_usage = std::move(usage.tres_seconds);
  source.own_wall_seconds = std::move(usage.wall_seconds);
  source.linear_capacity =
      LinearCapacity(source.cluster, conf.policy, reset, input.first_policy, time);
  return std::make_shared<const Snapshot>(std::move(source));
}

// The newest as_of there is now, under the lock that recording usage waits for.
absl::StatusOr<absl::Time> LatestUsageNow(storage::Transaction& transaction, int32_t cluster_id) {
  storage::ClusterState state;
  storage::UsageStore usage(transaction);
  auto rows = usage.List(storage::UsageOf::kAssociation, cluster_id);
  if (!rows.ok()) return rows.status();
  state.association_usage = *std::move(rows);
  return LatestUsage(state);
}

// Adds to the timeline where the policy's half-life is another one.
absl::Status ExtendTimeline(storage::Transaction& transaction, const storage::ClusterState& state,
                            const Policy& policy, absl::Time time) {
  const int32_t id = state.cluster.id;
  if (!TimelineChange(state.half_lives, policy, time, time).has_value()) return absl::OkStatus();
  absl::StatusOr<absl::Time> latest = LatestUsageNow(transaction, id);
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
  absl::StatusOr<Input> input = Read(database, cluster);
  if (!input.ok()) return input.status();
  absl::StatusOr<slurm::SlurmConf> conf = ParseStored(input->state.policy);
  if (!conf.ok()) return conf.status();
  absl::StatusOr<absl::Time> at = TimeOf(conf->policy.clock, time, input->state.snapshot);
  if (!at.ok()) return at.status();

  absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = Compute(*input, *conf, *at);
  if (!snapshot.ok()) return snapshot.status();
  absl::Status written = WriteDown(database, input->state, **snapshot);
  if (!written.ok()) return written;
  return snapshot;
}

}  // namespace priorityd::recalculation
