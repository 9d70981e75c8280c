#include "server/usage/roll_up.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/policy.h"
#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "server/usage/ledger_horizon.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/ledger/retention_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

// The state of the last recalculation.
struct Standing {
  storage::Cluster cluster;
  std::optional<storage::SnapshotRecord> snapshot;
  std::optional<storage::PolicyVersion> version;
};

absl::StatusOr<Standing> ReadStanding(storage::Transaction& transaction,
                                      const std::string& cluster) {
  Standing standing;
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  standing.cluster = *std::move(found);
  auto snapshot = storage::SnapshotStore(transaction).Newest(standing.cluster.id);
  if (!snapshot.ok()) return snapshot.status();
  standing.snapshot = *snapshot;
  if (!standing.snapshot.has_value() || standing.snapshot->policy_version == 0) return standing;
  auto version = storage::PolicyStore(transaction)
                     .Find(standing.cluster.id, standing.snapshot->policy_version);
  if (!version.ok()) return version.status();
  standing.version = *std::move(version);
  return standing;
}

absl::Status Audit(storage::Transaction& transaction, const storage::Cluster& cluster,
                   absl::Time horizon) {
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
}

struct HorizonMove {
  bool moved = false;
  absl::Time horizon;  // The stored one.
};

absl::StatusOr<HorizonMove> MoveHorizon(storage::Transaction& transaction,
                                        const storage::Cluster& cluster, absl::Time horizon) {
  if (absl::Status s = storage::ClusterStore(transaction).Lock(cluster.id); !s.ok()) return s;
  storage::RetentionStore store(transaction);
  auto moved = store.MoveHorizon(cluster.id, horizon);
  if (!moved.ok()) return moved.status();
  if (*moved) {
    if (absl::Status s = Audit(transaction, cluster, horizon); !s.ok()) return s;
  }
  auto stored = store.Horizon(cluster.id);
  if (!stored.ok()) return stored.status();
  return HorizonMove{*moved, *stored};
}

using MaybeStep = absl::StatusOr<std::optional<storage::RollUpStep>>;

// Processes one transaction's records after `place`; nullopt if another replica is rolling up.
MaybeStep Step(storage::Database& database, const storage::RollUpPlan& plan,
               const storage::LedgerPlace& place) {
  return database.Write([&](storage::Transaction& transaction) -> MaybeStep {
    absl::Status locked = storage::ClusterStore(transaction).LockShared(plan.cluster_id);
    if (!locked.ok()) return locked;
    return storage::RetentionStore(transaction).RollUp(plan, place);
  });
}

// The time for the horizon. A snapshot may be of the future if a clock was wrong.
absl::Time TimeOf(const priority::Policy& policy, absl::Time computed_at, absl::Time now) {
  return policy.clock == priority::ClockMode::kManual ? computed_at : std::min(computed_at, now);
}

storage::RollUpPlan PlanOf(const Standing& standing, const priority::Policy& policy,
                           absl::Time horizon, int64_t max_records) {
  const priority::ResetRule resets = configuration::ResetRuleOf(policy, standing.version);
  storage::RollUpPlan plan;
  plan.cluster_id = standing.cluster.id;
  plan.horizon = horizon;
  plan.hour = BeginningOfAnHour(policy, horizon);
  plan.reset = priority::LastReset(resets, horizon);
  plan.max_records = max_records;
  plan.max_pieces = 5 * max_records;
  return plan;
}

// One pass over the ledger.
struct Walk {
  storage::LedgerPlace place;
  int64_t records = 0;  // Records moved out.
  // The place before the first record that had to stay because of its target.
  std::optional<storage::LedgerPlace> stayed_after;
};

// Runs a step; returns whether the pass continues. nullopt as Step.
absl::StatusOr<std::optional<bool>> GoOn(storage::Database& database,
                                         const storage::RollUpPlan& plan, Walk* walk,
                                         RollUpResult* result) {
  const auto step = Step(database, plan, walk->place);
  if (!step.ok()) return step.status();
  if (!step->has_value()) return std::optional<bool>();
  walk->records += (*step)->records;
  result->records += (*step)->records;
  result->buckets += (*step)->buckets;
  if ((*step)->stayed > 0 && !walk->stayed_after.has_value()) walk->stayed_after = walk->place;
  walk->place = (*step)->last;
  return std::optional<bool>((*step)->more);
}

// Makes passes until nothing is left: the next pass moves records whose targets left in the
// previous one.
absl::Status RollUpAll(storage::Database& database, const storage::RollUpPlan& plan,
                       MayContinue may_continue, RollUpResult* result) {
  Walk walk;
  for (;;) {
    const auto more = GoOn(database, plan, &walk, result);
    if (!more.ok()) return more.status();
    if (!more->has_value()) return absl::OkStatus();
    if (!**more) {
      result->complete = walk.records == 0 || !walk.stayed_after.has_value();
      if (result->complete) return absl::OkStatus();
      walk = {.place = *walk.stayed_after};
    }
    if (!may_continue()) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<RollUpResult> RollUp(storage::Database& database, const RollUpRequest& request,
                                    MayContinue may_continue) {
  auto standing = database.Read([&](storage::Transaction& transaction) {
    return ReadStanding(transaction, request.cluster);
  });
  if (!standing.ok()) return standing.status();
  RollUpResult result{.horizon = standing->cluster.ledger_horizon};
  if (!standing->snapshot.has_value()) return result;
  const auto conf = configuration::ParseStored(standing->version);
  if (!conf.ok()) return conf.status();
  const absl::Time wanted = LedgerHorizon(
      (*conf)->policy, TimeOf((*conf)->policy, standing->snapshot->computed_at, request.now));
  if (wanted > result.horizon) {
    auto moved = database.Write([&](storage::Transaction& transaction) {
      return MoveHorizon(transaction, standing->cluster, wanted);
    });
    if (!moved.ok()) return moved.status();
    result.horizon_moved = moved->moved;
    // Another replica may have moved it further.
    result.horizon = std::min(wanted, moved->horizon);
  }
  if (result.horizon <= request.done_before) {
    result.complete = true;
    return result;
  }
  absl::Status status =
      RollUpAll(database, PlanOf(*standing, (*conf)->policy, result.horizon, request.max_records),
                may_continue, &result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace priorityd::usage
