#include "server/usage/forget_future.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"
#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/clock.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

std::string Text(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

absl::Status CheckClock(storage::Transaction& transaction, const storage::Cluster& cluster) {
  auto policy = storage::PolicyStore(transaction).Newest(cluster.id);
  if (!policy.ok()) return policy.status();
  const auto conf = configuration::ParseStored(*policy);
  if (!conf.ok()) return conf.status();
  if ((*conf)->policy.clock == priority::ClockMode::kReal) return absl::OkStatus();
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat("forget_future: got cluster ", cluster.name,
                                                 ", want one without Clock=manual")),
      "CLOCK_IS_MANUAL");
}

// The time of the newest snapshot, which must be later than `now`.
absl::StatusOr<absl::Time> FutureTime(storage::Transaction& transaction,
                                      const storage::Cluster& cluster, absl::Time now) {
  auto newest = storage::SnapshotStore(transaction).Newest(cluster.id);
  if (!newest.ok()) return newest.status();
  if (newest->has_value() && (*newest)->computed_at > now) return (*newest)->computed_at;
  const std::string got =
      newest->has_value() ? absl::StrCat("one of ", Text((*newest)->computed_at)) : "none";
  return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                "forget_future: got ", got, ", want a snapshot of a time after ",
                                Text(now), ", the database's present time")),
                            "SNAPSHOT_NOT_IN_FUTURE");
}

absl::Status Audit(storage::Transaction& transaction, const ForgetFutureRequest& request,
                   int32_t cluster_id, absl::Time from, absl::Time now) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = request.principal;
  event.action = "Recalculate";
  event.object = "snapshot of the future";
  event.before = Text(from);
  event.after = Text(now);
  return storage::AuditStore(transaction).Append(event);
}

absl::StatusOr<storage::FutureRows> Forget(storage::Transaction& transaction,
                                           const ForgetFutureRequest& request) {
  auto cluster = configuration::FindCluster(transaction, request.cluster);
  if (!cluster.ok()) return cluster.status();
  absl::Status status = storage::ClusterStore(transaction).Lock(cluster->id);
  if (status.ok()) status = CheckClock(transaction, *cluster);
  if (!status.ok()) return status;
  auto now = storage::ReadClock(transaction);
  if (!now.ok()) return now.status();
  auto from = FutureTime(transaction, *cluster, *now);
  if (!from.ok()) return from.status();
  auto last_usage = storage::UsageStore(transaction).Latest(cluster->id);
  if (!last_usage.ok()) return last_usage.status();
  auto rows = storage::FutureStore(transaction).Forget(cluster->id, *now, *last_usage);
  if (!rows.ok()) return rows;
  status = Audit(transaction, request, cluster->id, *from, *now);
  if (!status.ok()) return status;
  return rows;
}

}  // namespace

absl::StatusOr<storage::FutureRows> ForgetFuture(storage::Database& database,
                                                 const ForgetFutureRequest& request) {
  return database.Write(
      [&](storage::Transaction& transaction) { return Forget(transaction, request); });
}

}  // namespace priorityd::usage
