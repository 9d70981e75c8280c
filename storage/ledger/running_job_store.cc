#include "storage/ledger/running_job_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

// Ordered, so that two transactions wait for each other in one direction only.
constexpr char kCreate[] =
    "INSERT INTO priorityd.running_job (cluster_id, source, job_id, start_time, as_of) "
    "SELECT $1::integer, source, job_id, start_time, start_time "
    "FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS given (source, job_id, start_time) "
    "ORDER BY source COLLATE \"C\", job_id COLLATE \"C\" "
    "ON CONFLICT (cluster_id, source, job_id) DO NOTHING";
struct RunningJobStatements {
  const ColumnTable<RunningJob>& columns = RunningJobColumns();
  // OFFSET 0 keeps the planner to one index lookup per wanted row, however many there are and
  // however old its statistics.
  std::string lock =
      absl::StrCat("SELECT ", columns.Selected("held."),
                   " FROM (SELECT * FROM unnest($2::text[], $3::text[]) AS given (source, job_id) "
                   "ORDER BY source COLLATE \"C\", job_id COLLATE \"C\") AS wanted "
                   "CROSS JOIN LATERAL (SELECT * FROM ",
                   columns.Table(),
                   " j WHERE j.cluster_id = $1 AND j.source = wanted.source "
                   "AND j.job_id = wanted.job_id OFFSET 0 FOR UPDATE) AS held");
  // The indices of the rows are found in the same way.
  std::string write = absl::StrCat(
      "UPDATE ", columns.Table(), " j SET ", columns.AssignGiven(),
      " FROM (SELECT given.*, held.ctid FROM ", columns.Given(2),
      " CROSS JOIN LATERAL (SELECT ctid FROM ", columns.Table(),
      " j WHERE j.cluster_id = $1 AND j.source = given.source AND j.job_id = given.job_id "
      "OFFSET 0) AS held) AS given WHERE j.ctid = given.ctid");
};

const RunningJobStatements& RunningJobSql() {
  static const auto* const statements = new RunningJobStatements;
  return *statements;
}

template <typename Field>
Parameter ColumnOf(absl::Span<const RunningJob> jobs, Field RunningJob::*field) {
  return Column(jobs, [field](const RunningJob& job) { return job.*field; });
}

}  // namespace

const ColumnTable<RunningJob>& RunningJobColumns() {
  using C = ColumnTable<RunningJob>;
  using J = RunningJob;
  static const auto* const columns =
      new C("running_job", {"cluster_id"},
            {C::Key<&J::source>("source"), C::Key<&J::job_id>("job_id"),
             C::Value<&J::start_time>("start_time"), C::Value<&J::as_of>("as_of"),
             C::ListFirst<&J::tres_seconds>("tres_names"),
             C::ListSecond<&J::tres_seconds>("tres_seconds"),
             C::Value<&J::billing_seconds>("billing_seconds")});
  return *columns;
}

absl::StatusOr<std::vector<RunningJob>> RunningJobStore::Lock(int32_t cluster_id,
                                                              absl::Span<const RunningJob> jobs) {
  const Parameter sources = ColumnOf(jobs, &RunningJob::source);
  const Parameter job_ids = ColumnOf(jobs, &RunningJob::job_id);
  auto created = transaction_.Execute(
      kCreate, {cluster_id, sources, job_ids, ColumnOf(jobs, &RunningJob::start_time)});
  if (!created.ok()) return created.status();
  return transaction_.Query(DecodeTableRow<RunningJobColumns>, RunningJobSql().lock,
                            {cluster_id, sources, job_ids});
}

absl::Status RunningJobStore::Write(int32_t cluster_id, absl::Span<const RunningJob> jobs) {
  if (jobs.empty()) return absl::OkStatus();
  return transaction_
      .Execute(RunningJobSql().write, RunningJobColumns().Parameters(jobs, {cluster_id}))
      .status();
}

}  // namespace priorityd::storage
