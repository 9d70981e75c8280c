#include "server/usage/usage_reset.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "server/usage/decayed_row.h"
#include "server/usage/row_decay.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/usage_reset_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

constexpr storage::UsageOf kAssociation = storage::UsageOf::kAssociation;

std::string NameOf(const ResetRequest& request) {
  std::string name = absl::StrCat("account ", request.account);
  if (!request.user.empty()) absl::StrAppend(&name, " user ", request.user);
  if (!request.partition.empty()) absl::StrAppend(&name, " partition ", request.partition);
  return name;
}

absl::StatusOr<int64_t> FindAssociation(const storage::ClusterState& state,
                                        const ResetRequest& request) {
  for (const storage::Association& row : state.associations) {
    if (row.account == request.account && row.user_name == request.user &&
        row.partition == request.partition) {
      return row.id;
    }
  }
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("account, user, partition: got ", NameOf(request),
                                       ", want an association of cluster ", request.cluster)),
      "UNKNOWN_ASSOCIATION");
}

// The associations and all below them, ascending by id. Usage of a deleted association belongs to
// its account, so it is reset too.
std::vector<int64_t> Subtrees(const storage::ClusterState& state,
                              const std::vector<int64_t>& tops) {
  std::multimap<int64_t, int64_t> children;
  for (const auto* list : {&state.associations, &state.deleted_associations}) {
    for (const storage::Association& row : *list) {
      if (row.parent_id.has_value()) children.emplace(*row.parent_id, row.id);
    }
  }
  std::vector<int64_t> ids = tops;
  absl::flat_hash_set<int64_t> seen(tops.begin(), tops.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto [begin, end] = children.equal_range(ids[i]);
    for (auto child = begin; child != end; ++child) {
      if (seen.insert(child->second).second) ids.push_back(child->second);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

absl::StatusOr<absl::Time> TimeOfReset(const storage::Cluster& cluster,
                                       const std::optional<storage::PolicyVersion>& policy,
                                       const std::optional<storage::SnapshotRecord>& snapshot,
                                       absl::Time now) {
  const auto conf = configuration::ParseStored(policy);
  if (!conf.ok()) return conf.status();
  if ((*conf)->policy.clock == priority::ClockMode::kReal) {
    return snapshot.has_value() ? std::max(now, snapshot->computed_at) : now;
  }
  if (snapshot.has_value()) return snapshot->computed_at;
  return errors::WithReason(
      absl::FailedPreconditionError(
          absl::StrCat("cluster ", cluster.name,
                       ": got a manual clock that was never set, want a recalculation first")),
      "NO_SNAPSHOT");
}

// The decay of rows once `ids` are reset.
absl::StatusOr<RowDecay> DecayAfter(const storage::ClusterState& state,
                                    const std::vector<int64_t>& ids, absl::Time reset_at) {
  absl::StatusOr<DecayRules> rules = DecayRulesOf(state);
  if (!rules.ok()) return rules.status();
  for (const int64_t id : ids) {
    absl::Time& last = rules->manual_resets.try_emplace(id, reset_at).first->second;
    last = std::max(last, reset_at);
  }
  return RowDecay(*std::move(rules));
}

// The existing rows of `ids` after the reset in `decay`.
absl::Status SettleAgain(storage::Transaction& transaction, storage::UsageOf of, int32_t cluster_id,
                         const std::vector<int64_t>& ids, absl::Time reset_at,
                         const RowDecay& decay) {
  auto records = storage::LedgerStore(transaction).ListEndingAfter(of, cluster_id, reset_at, ids);
  if (!records.ok()) return records.status();
  RowChanges changes = ChangesOf(of, PointersTo(*records));
  storage::UsageStore usage(transaction);
  auto stored = usage.List(of, cluster_id);
  if (!stored.ok()) return stored.status();
  const absl::flat_hash_set<int64_t> wanted(ids.begin(), ids.end());
  std::vector<storage::UsageRow> rows;
  for (const storage::UsageRow& row : *stored) {
    if (!wanted.contains(row.id)) continue;
    storage::UsageRow& again = rows.emplace_back();
    again.id = row.id;
    Apply(changes[row.id], decay.Of(of, row.id), &again);
  }
  return usage.Write(of, cluster_id, rows);
}

absl::Status EndOpeningUsage(storage::Transaction& transaction, int32_t cluster_id,
                             const std::vector<int64_t>& ids, absl::Time reset_at) {
  storage::UsageStore usage(transaction);
  auto opening = usage.ListOpening(cluster_id);
  if (!opening.ok()) return opening.status();
  const absl::flat_hash_set<int64_t> wanted(ids.begin(), ids.end());
  std::vector<storage::OpeningUsage> ended;
  for (const storage::OpeningUsage& row : *opening) {
    if (row.value != 0 && wanted.contains(row.association_id)) {
      ended.push_back({row.association_id, 0, reset_at});
    }
  }
  return usage.SetOpening(cluster_id, ended);
}

absl::Status Audit(storage::Transaction& transaction, const ResetRequest& request,
                   int32_t cluster_id, const ResetResult& result) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = request.principal;
  event.action = "ResetUsage";
  event.object = NameOf(request);
  event.after = absl::StrCat(result.associations, " associations at ",
                             absl::FormatTime(result.reset_at, absl::UTCTimeZone()));
  event.comment = request.comment;
  return storage::AuditStore(transaction).Append(event);
}

// REQUIRES: the cluster is locked.
absl::StatusOr<ResetResult> ResetTops(storage::Transaction& transaction,
                                      const storage::ClusterState& state,
                                      const std::vector<int64_t>& tops, absl::Time now,
                                      bool check_only) {
  absl::StatusOr<absl::Time> time = TimeOfReset(state.cluster, state.policy, state.snapshot, now);
  if (!time.ok()) return time.status();
  const std::vector<int64_t> ids = Subtrees(state, tops);
  const ResetResult result{*time, static_cast<int64_t>(ids.size())};
  if (check_only) return result;
  absl::StatusOr<RowDecay> decay = DecayAfter(state, ids, *time);
  if (!decay.ok()) return decay.status();
  const int32_t id = state.cluster.id;
  absl::Status status = storage::UsageResetStore(transaction).Append(id, ids, *time);
  if (status.ok()) status = SettleAgain(transaction, kAssociation, id, ids, *time, *decay);
  if (status.ok()) status = EndOpeningUsage(transaction, id, ids, *time);
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<ResetResult> Reset(storage::Transaction& transaction, const ResetRequest& request) {
  auto cluster = configuration::FindCluster(transaction, request.cluster);
  if (!cluster.ok()) return cluster.status();
  absl::Status locked = storage::ClusterStore(transaction).Lock(cluster->id);
  if (!locked.ok()) return locked;
  auto state = storage::ReadClusterConfiguration(transaction, request.cluster);
  if (!state.ok()) return state.status();
  absl::StatusOr<int64_t> top = FindAssociation(*state, request);
  if (!top.ok()) return top.status();
  auto result = ResetTops(transaction, *state, {*top}, request.now, request.validate_only);
  if (!result.ok() || request.validate_only) return result;
  absl::Status audited = Audit(transaction, request, cluster->id, *result);
  if (!audited.ok()) return audited;
  return result;
}

}  // namespace

absl::StatusOr<ResetResult> ResetUsage(storage::Database& database, const ResetRequest& request) {
  return database.Write(
      [&](storage::Transaction& transaction) { return Reset(transaction, request); });
}

absl::StatusOr<ResetResult> ResetUsageOf(storage::Transaction& transaction,
                                         const std::string& cluster,
                                         const std::vector<int64_t>& tops, absl::Time now,
                                         bool check_only) {
  auto state = storage::ReadClusterConfiguration(transaction, cluster);
  if (!state.ok()) return state.status();
  return ResetTops(transaction, *state, tops, now, check_only);
}

absl::Status ResetUsageOfQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                             std::vector<storage::Qos> all, absl::Time now) {
  auto policy = storage::PolicyStore(transaction).Newest(cluster.id);
  if (!policy.ok()) return policy.status();
  auto snapshot = storage::SnapshotStore(transaction).Newest(cluster.id);
  if (!snapshot.ok()) return snapshot.status();
  absl::StatusOr<absl::Time> time = TimeOfReset(cluster, *policy, *snapshot, now);
  if (!time.ok()) return time.status();
  std::vector<int64_t> ids;
  for (storage::Qos& qos : all) {
    qos.usage_reset_at = std::max(*time, qos.usage_reset_at.value_or(*time));
    ids.push_back(qos.id);
    absl::Status updated = storage::QosStore(transaction).Update(qos);
    if (!updated.ok()) return updated;
  }
  absl::StatusOr<DecayRules> rules = ReadDecayRules(transaction, cluster.id);
  if (!rules.ok()) return rules.status();
  return SettleAgain(transaction, storage::UsageOf::kQos, cluster.id, ids, *time,
                     RowDecay(*std::move(rules)));
}

}  // namespace priorityd::usage
