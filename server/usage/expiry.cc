#include "server/usage/expiry.h"

#include <algorithm>
#include <optional>

#include "absl/functional/function_ref.h"
#include "server/configuration/find_cluster.h"
#include "storage/database/clock.h"
#include "storage/ledger/job_accounting_store.h"
#include "storage/ledger/job_end_store.h"
#include "storage/ledger/retention_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

struct Standing {
  int32_t cluster_id = 0;
  absl::Time horizon;
  std::optional<storage::SnapshotRecord> snapshot;
  absl::Time database_now;
};

absl::StatusOr<Standing> ReadStanding(storage::Transaction& transaction,
                                      const std::string& cluster) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  auto snapshot = storage::SnapshotStore(transaction).Newest(found->id);
  if (!snapshot.ok()) return snapshot.status();
  auto now = storage::ReadClock(transaction);
  if (!now.ok()) return now.status();
  return Standing{found->id, found->ledger_horizon, *snapshot, *now};
}

// Whether a step left more rows to delete.
using Step = absl::FunctionRef<absl::StatusOr<bool>(storage::Transaction&)>;

// Runs steps, each in its own transaction, until nothing is left; false if it may not continue.
absl::StatusOr<bool> DoAll(storage::Database& database, MayContinue may_continue, Step step) {
  for (;;) {
    auto more =
        database.Write([&](storage::Transaction& transaction) { return step(transaction); });
    if (!more.ok()) return more.status();
    if (!*more) return true;
    if (!may_continue()) return false;
  }
}

// Adds the rows deleted by a step; a full step means that more are left.
absl::StatusOr<bool> Count(const absl::StatusOr<int64_t>& deleted, int64_t limit, int64_t* total) {
  if (!deleted.ok()) return deleted.status();
  *total += *deleted;
  return *deleted == limit;
}

}  // namespace

absl::StatusOr<ExpiryResult> DeleteExpired(storage::Database& database, const std::string& cluster,
                                           MayContinue may_continue, int64_t rows_at_once) {
  auto standing = database.Read(
      [&](storage::Transaction& transaction) { return ReadStanding(transaction, cluster); });
  if (!standing.ok()) return standing.status();
  ExpiryResult result;
  if (!standing->snapshot.has_value()) return result;
  const int32_t id = standing->cluster_id;
  const absl::Time now = standing->snapshot->computed_at;
  const absl::Time audit_end = std::min(now, standing->database_now) - kAuditEventsKept;
  const absl::Time running_jobs_end = std::min(now - kRunningJobsKept, standing->horizon);
  storage::RunningJobWalk walk;
  const auto snapshots = [&](storage::Transaction& transaction) {
    return Count(storage::RetentionStore(transaction)
                     .DeleteSnapshots(id, now - kSnapshotsKept, rows_at_once),
                 rows_at_once, &result.snapshots);
  };
  const auto audit_events = [&](storage::Transaction& transaction) {
    return Count(
        storage::RetentionStore(transaction).DeleteAuditEvents(id, audit_end, rows_at_once),
        rows_at_once, &result.audit_events);
  };
  const auto running_jobs = [&](storage::Transaction& transaction) {
    return storage::RetentionStore(transaction)
        .DeleteRunningJobs(id, running_jobs_end, rows_at_once, &walk);
  };
  const auto job_accounting = [&](storage::Transaction& transaction) {
    storage::JobAccountingStore store(transaction);
    return Count(store.DeleteBefore(id, standing->horizon, rows_at_once), rows_at_once,
                 &result.job_accounting);
  };
  const auto job_ends = [&](storage::Transaction& transaction) {
    storage::JobEndStore store(transaction);
    return Count(store.DeleteBefore(id, standing->horizon, rows_at_once), rows_at_once,
                 &result.job_ends);
  };
  for (const Step step : {Step(snapshots), Step(audit_events), Step(running_jobs),
                          Step(job_accounting), Step(job_ends)}) {
    auto done = DoAll(database, may_continue, step);
    if (!done.ok()) return done.status();
    if (!*done) return result;
  }
  result.running_jobs = walk.deleted;
  result.complete = true;
  return result;
}

}  // namespace priorityd::usage
