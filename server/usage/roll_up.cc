#include "server/usage/roll_up.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "server/priority/policy.h"
#include "server/priority/usage_decay.h"
#include "server/usage/ledger_horizon.h"
#include "storage/audit_store.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/retention_store.h"
#include "storage/snapshot_store.h"

namespace priorityd::usage {
namespace {

// What the last recalculation left.
struct Standing {
  storage::Cluster cluster;
  std::optional<storage::SnapshotRecord> snapshot;
  std::optional<storage::PolicyVersion> version;
};

absl::StatusOr<Standing> ReadStanding(storage::Database& database, const std::string& cluster) {
  Standing standing;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    standing.cluster = *std::move(found);
    auto snapshot = storage::SnapshotStore(transaction).Newest(standing.cluster.id);
    if (!snapshot.ok()) return snapshot.status();
    standing.snapshot = *snapshot;
    if (!standing.snapshot.has_value() || standing.snapshot->policy_version == 0) {
      return absl::OkStatus();
    }
    auto version = storage::PolicyStore(transaction)
                       .Find(standing.cluster.id, standing.snapshot->policy_version);
    if (version.ok()) standing.version = *std::move(version);
    return version.status();
  });
  if (!status.ok()) return status;
  return standing;
}

absl::StatusOr<bool> MoveHorizon(storage::Database& database, const storage::Cluster& cluster,
                                 absl::Time horizon) {
  bool moved = false;
  absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
    moved = false;
    if (absl::Status s = storage::ClusterStore(transaction).Lock(cluster.id); !s.ok()) return s;
    auto done = storage::RetentionStore(transaction).MoveHorizon(cluster.id, horizon);
    if (!done.ok() || !*done) return done.status();
    moved = true;
    // Those who record usage know by it that there is something new.
    storage::AuditEvent event;
    event.cluster_id = cluster.id;
    event.principal = "priorityd";
    event.action = "MoveLedgerHorizon";
    event.object = absl::StrCat("cluster ", cluster.name);
    if (cluster.ledger_horizon != absl::InfinitePast()) {
      event.before = absl::FormatTime(cluster.ledger_horizon, absl::UTCTimeZone());
    }
    event.after = absl::FormatTime(horizon, absl::UTCTimeZone());
    return storage::AuditStore(transaction).Append(event);
  });
  if (!status.ok()) return status;
  return moved;
}

// One transaction's worth, from `association_id` on; nullopt if another server is at it.
absl::StatusOr<std::optional<storage::RollUpStep>> Step(storage::Database& database,
                                                        const storage::RollUpPlan& plan,
                                                        int64_t association_id) {
  std::optional<storage::RollUpStep> step;
  absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
    absl::Status locked = storage::ClusterStore(transaction).LockShared(plan.cluster_id);
    if (!locked.ok()) return locked;
    auto done = storage::RetentionStore(transaction).RollUp(plan, association_id);
    if (done.ok()) step = *done;
    return done.status();
  });
  if (!status.ok()) return status;
  return step;
}

// Walks the associations until there is nothing left: a second walk finds records
// that replaced others, which left in the first.
absl::Status RollUpAll(storage::Database& database, const storage::RollUpPlan& plan, GoesOn goes_on,
                       RollUpResult* result) {
  int64_t association_id = 0;
  int64_t of_this_walk = 0;
  for (;;) {
    auto step = Step(database, plan, association_id);
    if (!step.ok()) return step.status();
    if (!step->has_value()) return absl::OkStatus();
    result->records += (*step)->records;
    result->buckets += (*step)->buckets;
    of_this_walk += (*step)->records;
    association_id = (*step)->next_association_id;
    if (association_id == 0) {
      result->complete = of_this_walk == 0;
      if (result->complete) return absl::OkStatus();
      of_this_walk = 0;
    }
    if (!goes_on()) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<RollUpResult> RollUp(storage::Database& database, const RollUpRequest& request,
                                    GoesOn goes_on) {
  absl::StatusOr<Standing> standing = ReadStanding(database, request.cluster);
  if (!standing.ok()) return standing.status();
  RollUpResult result{.horizon = standing->cluster.ledger_horizon};
  if (!standing->snapshot.has_value()) return result;
  const auto conf = configuration::ParseStored(standing->version);
  if (!conf.ok()) return conf.status();
  const absl::Time wanted = LedgerHorizon((*conf)->policy, standing->snapshot->computed_at);
  if (wanted > result.horizon) {
    absl::StatusOr<bool> moved = MoveHorizon(database, standing->cluster, wanted);
    if (!moved.ok()) return moved.status();
    result.horizon_moved = *moved;
    result.horizon = wanted;
  }
  if (result.horizon <= request.done_before) {
    result.complete = true;
    return result;
  }
  const priority::ResetRule resets = configuration::ResetRuleOf((*conf)->policy, standing->version);
  storage::RollUpPlan plan;
  plan.cluster_id = standing->cluster.id;
  plan.horizon = result.horizon;
  plan.hour = BeginningOfAnHour((*conf)->policy, result.horizon);
  plan.reset = priority::LastReset(resets, result.horizon);
  plan.max_records = request.max_records;
  plan.max_pieces = 5 * request.max_records;
  absl::Status status = RollUpAll(database, plan, goes_on, &result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace priorityd::usage
