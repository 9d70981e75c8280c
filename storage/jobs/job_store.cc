#include "storage/jobs/job_store.h"

#include "absl/strings/str_cat.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/database/status.h"

namespace priorityd::storage {
namespace {

// A change of a queue is one statement, so that it waits for the network once: the queue's row goes
// ahead by $2 changes, those of the rows first, if $3 is its last one (NULL = whichever is). Each
// table that a statement names costs it time, also where nothing is to be written there, and so do
// arrays: a change of one job, of which there are the most, is given as plain values.
constexpr char kAdvance[] =
    "WITH queue AS (UPDATE priorityd.job_queue q SET last_change = q.last_change + $2::bigint "
    "FROM priorityd.cluster c WHERE q.cluster_id = $1::integer AND c.id = q.cluster_id "
    "AND c.former_name IS NULL AND NOT q.frozen AND q.last_change = coalesce($3::bigint, "
    "q.last_change) RETURNING "
    "q.last_change, c.name), ";
// $4 = the jobs removed. Their number is asked for first: a plan that is kept may be of a time when
// the table was small.
constexpr char kRemove[] =
    "gone AS (DELETE FROM priorityd.job j USING queue "
    "WHERE cardinality($4::text[]) > 0 AND j.cluster_id = $1::integer "
    "AND j.job_id = ANY($4::text[])), "
    "noted AS (INSERT INTO priorityd.job_removal (cluster_id, change, job_id) "
    "SELECT $1::integer, queue.last_change - cardinality($4::text[]) + place, job_id "
    "FROM queue, unnest($4::text[]) WITH ORDINALITY AS given (job_id, place)), ";
// The payload is a storage::Notification's: which queue changed.
constexpr char kNotifyOfQueue[] =
    " SELECT last_change, pg_notify('priorityd', 'queue ' || name) FROM queue";

// `changes_and_values`: of each row, from the queue and what is given.
std::string Upsert(const TableColumns& columns, const std::string& changes_and_values) {
  return absl::StrCat("written AS (INSERT INTO ", columns.Table(), " (",
                      columns.Written("cluster_id, change, "), ") SELECT $1::integer, ",
                      changes_and_values, " ON CONFLICT (cluster_id, job_id) DO UPDATE SET ",
                      columns.AssignExcluded(), ", change = excluded.change)");
}

// Of rows that are given as arrays, the first of which is parameter `first`.
std::string UpsertMany(const TableColumns& columns, int first) {
  return Upsert(columns,
                absl::StrCat("queue.last_change - $2::bigint + place, ", columns.GivenValues(),
                             " FROM queue, ", columns.GivenWithPlace(first), " ORDER BY place"));
}

constexpr char kCreateQueue[] =
    "INSERT INTO priorityd.job_queue (cluster_id) VALUES ($1) ON CONFLICT DO NOTHING";
constexpr char kLockQueue[] =
    "SELECT last_change, forgotten_change, site_factor_plugin, site_factor_answered_at, "
    "site_factor_failure FROM priorityd.job_queue WHERE cluster_id = $1 FOR UPDATE";
constexpr char kChanges[] =
    "SELECT last_change, forgotten_change, site_factor_plugin, site_factor_answered_at, "
    "site_factor_failure FROM priorityd.job_queue WHERE cluster_id = $1";
constexpr char kListQueues[] =
    "SELECT c.name, coalesce(q.last_change, 0), coalesce(q.forgotten_change, 0), "
    "coalesce(q.site_factor_plugin, ''), q.site_factor_answered_at, "
    "coalesce(q.site_factor_failure, '') FROM priorityd.cluster c "
    "LEFT JOIN priorityd.job_queue q ON q.cluster_id = c.id WHERE c.former_name IS NULL ORDER BY "
    "c.id";
constexpr char kChangeAfter[] =
    "SELECT change FROM priorityd.job WHERE cluster_id = $1 AND change > $2 ORDER BY change "
    "OFFSET $3 - 1 LIMIT 1";
constexpr char kListRemoved[] =
    "SELECT change, job_id FROM priorityd.job_removal "
    "WHERE cluster_id = $1 AND change > $2 AND change <= $3 ORDER BY change";
constexpr char kForget[] =
    "WITH queue AS (UPDATE priorityd.job_queue "
    "SET forgotten_change = greatest(forgotten_change, last_change - $2) WHERE cluster_id = $1 "
    "RETURNING forgotten_change) "
    "DELETE FROM priorityd.job_removal USING queue "
    "WHERE cluster_id = $1 AND change <= queue.forgotten_change";

constexpr char kWriteSource[] =
    "UPDATE priorityd.job_queue SET site_factor_plugin = $2, site_factor_answered_at = $3, "
    "site_factor_failure = $4 WHERE cluster_id = $1";

QueueChanges DecodeChanges(RowReader& row) {
  QueueChanges changes;
  SiteFactorSource& source = changes.site_factors;
  row.Read(&changes.last, &changes.forgotten, &source.plugin, &source.answered_at, &source.failure);
  return changes;
}

ClusterQueue DecodeQueue(RowReader& row) {
  ClusterQueue queue;
  row.Read(&queue.cluster);
  queue.changes = DecodeChanges(row);
  return queue;
}

JobRemoval DecodeRemoval(RowReader& row) {
  JobRemoval removal;
  row.Read(&removal.change, &removal.job_id);
  return removal;
}

}  // namespace

JobStatements::JobStatements(const TableColumns& columns)
    : write_one(absl::StrCat(
          kAdvance,
          Upsert(columns, absl::StrCat("queue.last_change, ", columns.OneGiven(4), " FROM queue")),
          kNotifyOfQueue)),
      write_many(absl::StrCat(kAdvance, UpsertMany(columns, 4), kNotifyOfQueue)),
      write_and_remove(absl::StrCat(kAdvance, kRemove, UpsertMany(columns, 5), kNotifyOfQueue)),
      list_changed(
          absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                       " WHERE cluster_id = $1 AND change > $2 ORDER BY change LIMIT $3")) {}

absl::StatusOr<QueueChanges> JobStore::Lock(int32_t cluster_id) {
  const auto locked = transaction_.QueryOptional(DecodeChanges, kLockQueue, {cluster_id});
  if (!locked.ok()) return locked.status();
  absl::Status writable = ClusterMoveStore(transaction_).RequireWritable(cluster_id);
  if (!writable.ok()) return writable;
  if (locked->has_value()) return **locked;
  absl::Status created = transaction_.Execute(kCreateQueue, {cluster_id}).status();
  if (!created.ok()) return created;
  return transaction_.QueryOne(DecodeChanges, kLockQueue, {cluster_id});
}

absl::StatusOr<QueueChanges> JobStore::Changes(int32_t cluster_id) {
  auto changes = transaction_.QueryOptional(DecodeChanges, kChanges, {cluster_id});
  if (!changes.ok()) return changes.status();
  return changes->value_or(QueueChanges());
}

absl::StatusOr<std::vector<ClusterQueue>> JobStore::ListQueues() {
  return transaction_.Query(DecodeQueue, kListQueues);
}

JobStore::LastChange JobStore::Run(const std::string& statement,
                                   const std::vector<Parameter>& parameters) {
  return transaction_.QueryOptional(OnlyColumn<int64_t>, statement, parameters);
}

absl::StatusOr<int64_t> JobStore::ExistingQueue(const LastChange& last) {
  if (!last.ok()) return last.status();
  if (!last->has_value()) return ClusterDeletedError();
  return **last;
}

absl::StatusOr<std::optional<int64_t>> JobStore::ChangeAfter(int32_t cluster_id, int64_t change,
                                                             int64_t rows) {
  return transaction_.QueryOptional(OnlyColumn<int64_t>, kChangeAfter, {cluster_id, change, rows});
}

absl::StatusOr<std::vector<JobRemoval>> JobStore::ListRemoved(int32_t cluster_id, int64_t change,
                                                              int64_t until) {
  return transaction_.Query(DecodeRemoval, kListRemoved, {cluster_id, change, until});
}

absl::Status JobStore::ForgetRemovals(int32_t cluster_id, int64_t kept) {
  return transaction_.Execute(kForget, {cluster_id, kept}).status();
}

absl::Status JobStore::WriteSiteFactorSource(int32_t cluster_id, const SiteFactorSource& source) {
  return transaction_
      .Execute(kWriteSource, {cluster_id, source.plugin, source.answered_at, source.failure})
      .status();
}

}  // namespace priorityd::storage
