#include "storage/job_store.h"

#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

constexpr char kCreateQueue[] =
    "INSERT INTO priorityd.job_queue (cluster_id) VALUES ($1) ON CONFLICT DO NOTHING";
constexpr char kLockQueue[] =
    "SELECT last_change, forgotten_change, site_factor_plugin, site_factor_answered_at, "
    "site_factor_failure FROM priorityd.job_queue WHERE cluster_id = $1 FOR UPDATE";
constexpr char kChanges[] =
    "SELECT last_change, forgotten_change, site_factor_plugin, site_factor_answered_at, "
    "site_factor_failure FROM priorityd.job_queue WHERE cluster_id = $1";
constexpr char kAdvance[] =
    "UPDATE priorityd.job_queue SET last_change = last_change + $2 WHERE cluster_id = $1 "
    "RETURNING last_change, forgotten_change, site_factor_plugin, site_factor_answered_at, "
    "site_factor_failure";
// $2 is the change before the first row's.
constexpr char kWrite[] =
    "INSERT INTO priorityd.job (cluster_id, change, "
    "job_id, source, name, user_name, account, partitions, qos, state, ended_as, end_time, "
    "hold, dependency, told_dependency_unmet, dependency_unmet, submit_time, "
    "eligible_time, start_time, accrue_time, accrual_stopped, nodes, cpus, tres_names, "
    "tres_counts, time_limit_us, nice, site_factor, admin_priority, previous_priority, "
    "preemptor, reservation, array_tasks, site_factor_answered, "
    "array_task_ids) "
    "SELECT $1::integer, $2::bigint + place, "
    "job_id, source, name, user_name, account, partitions::text[], qos::text[], state, "
    "ended_as, end_time, hold, dependency, told_dependency_unmet, dependency_unmet, "
    "submit_time, eligible_time, start_time, accrue_time, accrual_stopped, nodes, cpus, "
    "tres_names::text[], tres_counts::double precision[], time_limit_us, nice, "
    "site_factor, admin_priority, previous_priority, preemptor, reservation, array_tasks, "
    "site_factor_answered, array_task_ids FROM unnest("
    "$3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], "
    "$10::text[], $11::text[], $12::timestamptz[], $13::text[], $14::text[], "
    "$15::boolean[], $16::boolean[], $17::timestamptz[], $18::timestamptz[], "
    "$19::timestamptz[], $20::timestamptz[], $21::timestamptz[], $22::bigint[], "
    "$23::double precision[], $24::text[], $25::text[], $26::bigint[], $27::bigint[], "
    "$28::bigint[], $29::bigint[], $30::bigint[], $31::boolean[], $32::text[], "
    "$33::bigint[], $34::boolean[], $35::text[]) "
    "WITH ORDINALITY AS given ("
    "job_id, source, name, user_name, account, partitions, qos, state, ended_as, end_time, "
    "hold, dependency, told_dependency_unmet, dependency_unmet, submit_time, "
    "eligible_time, start_time, accrue_time, accrual_stopped, nodes, cpus, tres_names, "
    "tres_counts, time_limit_us, nice, site_factor, admin_priority, previous_priority, "
    "preemptor, reservation, array_tasks, site_factor_answered, "
    "array_task_ids, place) "
    "ORDER BY place ON CONFLICT (cluster_id, job_id) DO UPDATE SET "
    "source = excluded.source, name = excluded.name, user_name = excluded.user_name, "
    "account = excluded.account, partitions = excluded.partitions, qos = excluded.qos, "
    "state = excluded.state, ended_as = excluded.ended_as, end_time = excluded.end_time, "
    "hold = excluded.hold, dependency = excluded.dependency, "
    "told_dependency_unmet = excluded.told_dependency_unmet, "
    "dependency_unmet = excluded.dependency_unmet, submit_time = excluded.submit_time, "
    "eligible_time = excluded.eligible_time, start_time = excluded.start_time, "
    "accrue_time = excluded.accrue_time, accrual_stopped = excluded.accrual_stopped, "
    "nodes = excluded.nodes, cpus = excluded.cpus, tres_names = excluded.tres_names, "
    "tres_counts = excluded.tres_counts, time_limit_us = excluded.time_limit_us, "
    "nice = excluded.nice, site_factor = excluded.site_factor, "
    "admin_priority = excluded.admin_priority, "
    "previous_priority = excluded.previous_priority, preemptor = excluded.preemptor, "
    "reservation = excluded.reservation, array_tasks = excluded.array_tasks, "
    "site_factor_answered = excluded.site_factor_answered, "
    "array_task_ids = excluded.array_task_ids, "
    "change = excluded.change";
constexpr char kRemove[] =
    "WITH gone AS (DELETE FROM priorityd.job WHERE cluster_id = $1 AND job_id = ANY($3::text[])) "
    "INSERT INTO priorityd.job_removal (cluster_id, change, job_id) "
    "SELECT $1::integer, $2::bigint + place, job_id "
    "FROM unnest($3::text[]) WITH ORDINALITY AS given (job_id, place)";
constexpr char kListChanged[] =
    "SELECT change, "
    "job_id, source, name, user_name, account, partitions, qos, state, ended_as, end_time, "
    "hold, dependency, told_dependency_unmet, dependency_unmet, submit_time, "
    "eligible_time, start_time, accrue_time, accrual_stopped, nodes, cpus, tres_names, "
    "tres_counts, time_limit_us, nice, site_factor, admin_priority, previous_priority, "
    "preemptor, reservation, array_tasks, site_factor_answered, "
    "array_task_ids FROM priorityd.job WHERE cluster_id = $1 AND change > $2 ORDER BY change LIMIT "
    "$3";
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

Job DecodeJob(RowReader& row) {
  Job job;
  row.Read(&job.change, &job.job_id, &job.source, &job.name, &job.user_name, &job.account,
           &job.partitions, &job.qos, &job.state, &job.ended_as, &job.end_time, &job.hold,
           &job.dependency, &job.told_dependency_unmet, &job.dependency_unmet, &job.submit_time,
           &job.eligible_time, &job.start_time, &job.accrue_time, &job.accrual_stopped, &job.nodes,
           &job.cpus, &job.tres, &job.time_limit_us, &job.nice, &job.site_factor,
           &job.admin_priority, &job.previous_priority, &job.preemptor, &job.reservation,
           &job.array_tasks, &job.site_factor_answered, &job.array_task_ids);
  return job;
}

JobRemoval DecodeRemoval(RowReader& row) {
  JobRemoval removal;
  row.Read(&removal.change, &removal.job_id);
  return removal;
}

// One array per column of kWrite, after the first two parameters.
void AddColumns(absl::Span<const Job> jobs, std::vector<Parameter>* parameters) {
  const auto add = [&](auto... fields) {
    (parameters->push_back(Column(jobs, [fields](const Job& job) { return job.*fields; })), ...);
  };
  add(&Job::job_id, &Job::source, &Job::name, &Job::user_name, &Job::account, &Job::partitions,
      &Job::qos, &Job::state, &Job::ended_as, &Job::end_time, &Job::hold, &Job::dependency,
      &Job::told_dependency_unmet, &Job::dependency_unmet, &Job::submit_time, &Job::eligible_time,
      &Job::start_time, &Job::accrue_time, &Job::accrual_stopped, &Job::nodes, &Job::cpus);
  parameters->push_back(Column(jobs, [](const Job& job) { return Names(job.tres); }));
  parameters->push_back(Column(jobs, [](const Job& job) { return Amounts(job.tres); }));
  add(&Job::time_limit_us, &Job::nice, &Job::site_factor, &Job::admin_priority,
      &Job::previous_priority, &Job::preemptor, &Job::reservation, &Job::array_tasks,
      &Job::site_factor_answered, &Job::array_task_ids);
}

}  // namespace

absl::StatusOr<QueueChanges> JobStore::Lock(int32_t cluster_id) {
  absl::Status created = transaction_.Execute(kCreateQueue, {cluster_id}).status();
  if (!created.ok()) return created;
  return transaction_.QueryOne(DecodeChanges, kLockQueue, {cluster_id});
}

absl::StatusOr<QueueChanges> JobStore::Changes(int32_t cluster_id) {
  auto changes = transaction_.QueryOptional(DecodeChanges, kChanges, {cluster_id});
  if (!changes.ok()) return changes.status();
  return changes->value_or(QueueChanges());
}

absl::StatusOr<int64_t> JobStore::Write(int32_t cluster_id, absl::Span<const Job> jobs,
                                        absl::Span<const std::string> removed) {
  const int64_t count = static_cast<int64_t>(jobs.size() + removed.size());
  auto changes = transaction_.QueryOne(DecodeChanges, kAdvance, {cluster_id, count});
  if (!changes.ok()) return changes.status();
  int64_t before = changes->last - count;
  if (!jobs.empty()) {
    std::vector<Parameter> parameters = {cluster_id, before};
    AddColumns(jobs, &parameters);
    absl::Status written = transaction_.Execute(kWrite, parameters).status();
    if (!written.ok()) return written;
    before += static_cast<int64_t>(jobs.size());
  }
  if (!removed.empty()) {
    const std::vector<std::string> ids(removed.begin(), removed.end());
    absl::Status gone = transaction_.Execute(kRemove, {cluster_id, before, ids}).status();
    if (!gone.ok()) return gone;
  }
  return changes->last;
}

absl::StatusOr<std::vector<Job>> JobStore::ListChanged(int32_t cluster_id, int64_t change,
                                                       int64_t limit) {
  return transaction_.Query(DecodeJob, kListChanged, {cluster_id, change, limit});
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
