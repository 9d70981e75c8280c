#include "storage/job_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "storage/column_table.h"
#include "storage/status.h"

namespace priorityd::storage {
namespace {

using Columns = ColumnTable<Job>;

// A change of a queue is one statement, so that it waits for the network once: the queue's row goes
// ahead by $2 changes, those of the rows first, if $3 is its last one (NULL = whichever is). Each
// table that a statement names costs it time, also where nothing is to be written there, and so do
// arrays: a change of one job, of which there are the most, is given as plain values.
constexpr char kAdvance[] =
    "WITH queue AS (UPDATE priorityd.job_queue q SET last_change = q.last_change + $2::bigint "
    "FROM priorityd.cluster c WHERE q.cluster_id = $1::integer AND c.id = q.cluster_id "
    "AND c.former_name IS NULL AND q.last_change = coalesce($3::bigint, q.last_change) RETURNING "
    "q.last_change, c.name), ";
// $4 = the jobs removed. Their number is asked for first: a plan that is kept may be of a time when
// the table was small.
constexpr char kRemove[] =
    "gone AS (DELETE FROM priorityd.job j USING queue "
    "WHERE cardinality($4::text[]) > 0 AND j.cluster_id = $1::integer "
    "AND j.job_id = ANY($4::text[])), "
    "told AS (INSERT INTO priorityd.job_removal (cluster_id, change, job_id) "
    "SELECT $1::integer, queue.last_change - cardinality($4::text[]) + place, job_id "
    "FROM queue, unnest($4::text[]) WITH ORDINALITY AS given (job_id, place)), ";
// The payload is a storage::Notification's: which queue changed.
constexpr char kNotifyOfQueue[] =
    " SELECT last_change, pg_notify('priorityd', 'queue ' || name) FROM queue";

// `changes_and_values`: of each row, from the queue and what is given.
std::string Upsert(const std::string& changes_and_values) {
  const Columns& columns = JobColumns();
  return absl::StrCat("written AS (INSERT INTO ", columns.Table(), " (",
                      columns.Written("cluster_id, change, "), ") SELECT $1::integer, ",
                      changes_and_values, " ON CONFLICT (cluster_id, job_id) DO UPDATE SET ",
                      columns.AssignExcluded(), ", change = excluded.change)");
}

// Of rows that are given as arrays, the first of which is parameter `first`.
std::string UpsertMany(int first) {
  const Columns& columns = JobColumns();
  return Upsert(absl::StrCat("queue.last_change - $2::bigint + place, ", columns.GivenValues(),
                             " FROM queue, ", columns.GivenWithPlace(first), " ORDER BY place"));
}

struct Statements {
  const Columns& columns = JobColumns();
  std::string write_one = absl::StrCat(
      kAdvance, Upsert(absl::StrCat("queue.last_change, ", columns.OneGiven(4), " FROM queue")),
      kNotifyOfQueue);
  std::string write_many = absl::StrCat(kAdvance, UpsertMany(4), kNotifyOfQueue);
  std::string write_and_remove = absl::StrCat(kAdvance, kRemove, UpsertMany(5), kNotifyOfQueue);
  std::string list_changed =
      absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                   " WHERE cluster_id = $1 AND change > $2 ORDER BY change LIMIT $3");
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
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

Job DecodeJob(RowReader& row) { return JobColumns().Decode(row); }

JobRemoval DecodeRemoval(RowReader& row) {
  JobRemoval removal;
  row.Read(&removal.change, &removal.job_id);
  return removal;
}

}  // namespace

const ColumnTable<Job>& JobColumns() {
  using C = Columns;
  static const auto* const columns =
      new C("job", {"cluster_id"},
            {C::ReadOnly<&Job::change>("change"),
             C::Key<&Job::job_id>("job_id"),
             C::Value<&Job::source>("source"),
             C::Value<&Job::name>("name"),
             C::Value<&Job::user_name>("user_name"),
             C::Value<&Job::account>("account"),
             C::Value<&Job::partitions>("partitions"),
             C::Value<&Job::qos>("qos"),
             C::Value<&Job::state>("state"),
             C::Value<&Job::ended_as>("ended_as"),
             C::Value<&Job::end_time>("end_time"),
             C::Value<&Job::hold>("hold"),
             C::Value<&Job::dependency>("dependency"),
             C::Value<&Job::told_dependency_unmet>("told_dependency_unmet"),
             C::Value<&Job::dependency_unmet>("dependency_unmet"),
             C::Value<&Job::submit_time>("submit_time"),
             C::Value<&Job::eligible_time>("eligible_time"),
             C::Value<&Job::start_time>("start_time"),
             C::Value<&Job::accrue_time>("accrue_time"),
             C::Value<&Job::accrual_stopped>("accrual_stopped"),
             C::Value<&Job::nodes>("nodes"),
             C::Value<&Job::cpus>("cpus"),
             C::ListFirst<&Job::tres>("tres_names"),
             C::ListSecond<&Job::tres>("tres_counts"),
             C::Value<&Job::time_limit_us>("time_limit_us"),
             C::Value<&Job::nice>("nice"),
             C::Value<&Job::site_factor>("site_factor"),
             C::Value<&Job::admin_priority>("admin_priority"),
             C::Value<&Job::previous_priority>("previous_priority"),
             C::Value<&Job::pair_partitions>("pair_partitions"),
             C::Value<&Job::pair_qos>("pair_qos"),
             C::Value<&Job::pair_priorities>("pair_priorities"),
             C::Value<&Job::preemptor>("preemptor"),
             C::Value<&Job::reservation>("reservation"),
             C::Value<&Job::array_tasks>("array_tasks"),
             C::Value<&Job::site_factor_answered>("site_factor_answered"),
             C::Value<&Job::array_task_ids>("array_task_ids"),
             C::Value<&Job::array_job_id>("array_job_id"),
             C::Value<&Job::array_task_id>("array_task_id"),
             C::Value<&Job::array_limited>("array_limited"),
             C::Value<&Job::dependency_never>("dependency_never"),
             C::Value<&Job::dependency_until>("dependency_until")});
  return *columns;
}

absl::StatusOr<QueueChanges> JobStore::Lock(int32_t cluster_id) {
  const auto locked = transaction_.QueryOptional(DecodeChanges, kLockQueue, {cluster_id});
  if (!locked.ok()) return locked.status();
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

absl::StatusOr<std::optional<int64_t>> JobStore::WriteIf(std::optional<int64_t> after,
                                                         int32_t cluster_id,
                                                         absl::Span<const Job> jobs,
                                                         absl::Span<const std::string> removed) {
  const int64_t count = static_cast<int64_t>(jobs.size() + removed.size());
  std::vector<Parameter> first = {cluster_id, count, after};
  const Columns& columns = JobColumns();
  if (!removed.empty()) {
    first.push_back(std::vector<std::string>(removed.begin(), removed.end()));
    return transaction_.QueryOptional(OnlyColumn<int64_t>, Sql().write_and_remove,
                                      columns.Parameters(jobs, std::move(first)));
  }
  if (jobs.size() != 1) {
    return transaction_.QueryOptional(OnlyColumn<int64_t>, Sql().write_many,
                                      columns.Parameters(jobs, std::move(first)));
  }
  return transaction_.QueryOptional(OnlyColumn<int64_t>, Sql().write_one,
                                    columns.ParametersOf(jobs.front(), std::move(first)));
}

absl::StatusOr<int64_t> JobStore::Write(int32_t cluster_id, absl::Span<const Job> jobs,
                                        absl::Span<const std::string> removed) {
  const auto last = WriteIf(std::nullopt, cluster_id, jobs, removed);
  if (!last.ok()) return last.status();
  if (!last->has_value()) return ClusterDeletedError();
  return **last;
}

absl::StatusOr<std::optional<int64_t>> JobStore::WriteAfter(int64_t after, int32_t cluster_id,
                                                            absl::Span<const Job> jobs,
                                                            absl::Span<const std::string> removed) {
  return WriteIf(after, cluster_id, jobs, removed);
}

absl::StatusOr<std::vector<Job>> JobStore::ListChanged(int32_t cluster_id, int64_t change,
                                                       int64_t limit) {
  return transaction_.Query(DecodeJob, Sql().list_changed, {cluster_id, change, limit});
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
