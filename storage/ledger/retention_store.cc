#include "storage/ledger/retention_store.h"

#include <utility>

#include "storage/configuration/cluster_move_store.h"
#include "storage/database/local_setting.h"
#include "storage/database/status.h"
#include "storage/ledger/statement_files.h"

namespace priorityd::storage {
namespace {

constexpr char kHorizon[] = "SELECT ledger_horizon FROM priorityd.cluster WHERE id = $1";
constexpr char kMoveHorizon[] =
    "UPDATE priorityd.cluster SET ledger_horizon = $2 WHERE id = $1 AND ledger_horizon < $2 "
    // A recalculation must still see what it has to settle into grants and into the domain.
    "AND NOT EXISTS (SELECT FROM priorityd.usage_record u WHERE u.cluster_id = $1 "
    "AND u.seq > least((SELECT min(p.settled_seq) FROM priorityd.usage_pool p "
    "WHERE p.cluster_id = $1 AND NOT p.is_stale), "
    "(SELECT m.settled_seq FROM priorityd.domain_member m WHERE m.cluster_id = $1)) "
    "AND (u.end_time < $2 OR (u.replaces_record_id <> '' AND EXISTS ("
    "SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
    "AND r.source = u.source AND r.record_id = u.replaces_record_id AND r.end_time < $2))))";
constexpr char kTryLock[] = "SELECT pg_try_advisory_xact_lock(7413, $1::integer)";
// A step's records would be sorted on disk with PostgreSQL's 4 MB.
constexpr char kDeleteSnapshots[] =
    "DELETE FROM priorityd.snapshot s USING ("
    "SELECT generation FROM priorityd.snapshot WHERE cluster_id = $1 ORDER BY generation LIMIT $3"
    ") AS oldest WHERE s.cluster_id = $1 AND s.generation = oldest.generation "
    "AND s.computed_at < $2 AND s.generation < "
    "(SELECT max(generation) FROM priorityd.snapshot WHERE cluster_id = $1)";
constexpr char kDeleteAuditEvents[] =
    "DELETE FROM priorityd.audit_event e USING ("
    "SELECT id FROM priorityd.audit_event WHERE cluster_id = $1 ORDER BY id LIMIT $3"
    ") AS oldest WHERE e.cluster_id = $1 AND e.id = oldest.id AND e.at < $2";
// A row that is written meanwhile is looked at again as it is then.
constexpr char kDeleteRunningJobs[] =
    "WITH visited AS (SELECT source, job_id FROM priorityd.running_job "
    "WHERE cluster_id = $1 AND (source, job_id) > ($4, $5) ORDER BY source, job_id LIMIT $3), "
    "gone AS (DELETE FROM priorityd.running_job j USING visited v WHERE j.cluster_id = $1 "
    "AND j.source = v.source AND j.job_id = v.job_id AND j.as_of < $2 RETURNING 1) "
    "SELECT source, job_id, (SELECT count(*) FROM gone) FROM visited "
    "ORDER BY source DESC, job_id DESC LIMIT 1";

RunningJobWalk DecodeWalk(RowReader& row) {
  RunningJobWalk walk;
  row.Read(&walk.source, &walk.job_id, &walk.deleted);
  return walk;
}

RollUpStep DecodeStep(RowReader& row) {
  RollUpStep step;
  row.Read(&step.records, &step.buckets, &step.stayed, &step.more, &step.last.end_time,
           &step.last.seq);
  return step;
}

}  // namespace

absl::StatusOr<absl::Time> RetentionStore::Horizon(int32_t cluster_id) {
  auto horizon = transaction_.QueryOptional(OnlyColumn<absl::Time>, kHorizon, {cluster_id});
  if (!horizon.ok()) return horizon.status();
  if (horizon->has_value()) return **horizon;
  return ClusterDeletedError();
}

absl::StatusOr<bool> RetentionStore::MoveHorizon(int32_t cluster_id, absl::Time horizon) {
  auto moved = transaction_.Execute(kMoveHorizon, {cluster_id, horizon});
  if (!moved.ok()) return moved.status();
  return *moved == 1;
}

absl::StatusOr<std::optional<RollUpStep>> RetentionStore::RollUp(const RollUpPlan& plan,
                                                                 const LedgerPlace& place) {
  auto locked = transaction_.QueryOne(OnlyColumn<bool>, kTryLock, {plan.cluster_id});
  if (!locked.ok()) return locked.status();
  if (!*locked) return std::optional<RollUpStep>();
  auto leaving = ClusterMoveStore(transaction_).IsLeaving(plan.cluster_id);
  if (!leaving.ok()) return leaving.status();
  if (*leaving) return std::optional<RollUpStep>();
  if (absl::Status s = transaction_.ExecuteScript(kSortInMemory); !s.ok()) return s;
  auto step = transaction_.QueryOne(DecodeStep, kRollUp,
                                    {plan.cluster_id, plan.horizon, plan.hour, plan.reset,
                                     place.end_time, place.seq, plan.max_records, plan.max_pieces});
  if (!step.ok()) return step.status();
  return std::optional<RollUpStep>(*step);
}

absl::StatusOr<int64_t> RetentionStore::DeleteSnapshots(int32_t cluster_id, absl::Time before,
                                                        int64_t limit) {
  return transaction_.Execute(kDeleteSnapshots, {cluster_id, before, limit});
}

absl::StatusOr<int64_t> RetentionStore::DeleteAuditEvents(int32_t cluster_id, absl::Time before,
                                                          int64_t limit) {
  return transaction_.Execute(kDeleteAuditEvents, {cluster_id, before, limit});
}

absl::StatusOr<bool> RetentionStore::DeleteRunningJobs(int32_t cluster_id, absl::Time before,
                                                       int64_t limit, RunningJobWalk* walk) {
  auto at = transaction_.QueryOptional(DecodeWalk, kDeleteRunningJobs,
                                       {cluster_id, before, limit, walk->source, walk->job_id});
  if (!at.ok()) return at.status();
  if (!at->has_value()) return false;
  (*at)->deleted += walk->deleted;
  *walk = **std::move(at);
  return true;
}

}  // namespace priorityd::storage
