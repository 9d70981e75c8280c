#include "storage/running_job_store.h"

#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

// Ordered, so that two transactions wait for each other in one direction only.
constexpr char kCreate[] =
    "INSERT INTO priorityd.running_job (cluster_id, source, job_id, start_time, as_of) "
    "SELECT $1::integer, source, job_id, start_time, start_time "
    "FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS given (source, job_id, start_time) "
    "ORDER BY source COLLATE \"C\", job_id COLLATE \"C\" "
    "ON CONFLICT (cluster_id, source, job_id) DO NOTHING";
constexpr char kLock[] =
    "SELECT source, job_id, start_time, as_of, tres_names, tres_seconds, billing_seconds "
    "FROM priorityd.running_job JOIN unnest($2::text[], $3::text[]) AS wanted (source, job_id) "
    "USING (source, job_id) WHERE cluster_id = $1 "
    "ORDER BY source COLLATE \"C\", job_id COLLATE \"C\" FOR UPDATE OF running_job";
constexpr char kWrite[] =
    "UPDATE priorityd.running_job j SET start_time = given.start_time, as_of = given.as_of, "
    "tres_names = given.tres_names::text[], "
    "tres_seconds = given.tres_seconds::double precision[], "
    "billing_seconds = given.billing_seconds "
    "FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], "
    "$7::text[], $8::double precision[]) AS given (source, job_id, start_time, as_of, "
    "tres_names, tres_seconds, billing_seconds) "
    "WHERE j.cluster_id = $1 AND j.source = given.source AND j.job_id = given.job_id";

RunningJob Decode(RowReader& row) {
  RunningJob job;
  row.Read(&job.source, &job.job_id, &job.start_time, &job.as_of, &job.tres_seconds,
           &job.billing_seconds);
  return job;
}

template <typename Field>
Parameter ColumnOf(absl::Span<const RunningJob> jobs, Field RunningJob::*field) {
  return Column(jobs, [field](const RunningJob& job) { return job.*field; });
}

}  // namespace

absl::StatusOr<std::vector<RunningJob>> RunningJobStore::Lock(int32_t cluster_id,
                                                              absl::Span<const RunningJob> jobs) {
  const Parameter sources = ColumnOf(jobs, &RunningJob::source);
  const Parameter job_ids = ColumnOf(jobs, &RunningJob::job_id);
  auto created = transaction_.Execute(
      kCreate, {cluster_id, sources, job_ids, ColumnOf(jobs, &RunningJob::start_time)});
  if (!created.ok()) return created.status();
  return transaction_.Query(Decode, kLock, {cluster_id, sources, job_ids});
}

absl::Status RunningJobStore::Write(int32_t cluster_id, absl::Span<const RunningJob> jobs) {
  if (jobs.empty()) return absl::OkStatus();
  return transaction_
      .Execute(
          kWrite,
          {cluster_id, ColumnOf(jobs, &RunningJob::source), ColumnOf(jobs, &RunningJob::job_id),
           ColumnOf(jobs, &RunningJob::start_time), ColumnOf(jobs, &RunningJob::as_of),
           Column(jobs, [](const RunningJob& job) { return Names(job.tres_seconds); }),
           Column(jobs, [](const RunningJob& job) { return Amounts(job.tres_seconds); }),
           ColumnOf(jobs, &RunningJob::billing_seconds)})
      .status();
}

}  // namespace priorityd::storage
