#include "storage/ledger/job_end_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/parameter.h"

namespace priorityd::storage {
namespace {

constexpr char kSince[] = "SELECT since FROM priorityd.job_end_since WHERE cluster_id = $1";
constexpr char kSwitchOn[] =
    "INSERT INTO priorityd.job_end_since (cluster_id, since) VALUES ($1, $2) "
    "ON CONFLICT (cluster_id) DO UPDATE SET since = excluded.since "
    "WHERE job_end_since.since = 'infinity'";
constexpr char kSwitchOff[] =
    "UPDATE priorityd.job_end_since SET since = 'infinity' WHERE cluster_id = $1";
constexpr char kInsertJobEnd[] =
    "INSERT INTO priorityd.job_end (cluster_id, job_id, start_time, end_time, source, record_id) "
    "SELECT $1::integer, * FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[], "
    "$5::text[], $6::text[]) ON CONFLICT (cluster_id, job_id, start_time) DO UPDATE SET "
    "end_time = excluded.end_time, source = excluded.source, record_id = excluded.record_id";
constexpr char kDelete[] =
    "DELETE FROM priorityd.job_end e USING unnest($2::text[], $3::timestamptz[]) "
    "AS w (job_id, start_time) WHERE e.cluster_id = $1 AND e.job_id = w.job_id "
    "AND e.start_time = w.start_time";
constexpr char kInsertCollected[] =
    "INSERT INTO priorityd.job_record (cluster_id, job_id, start_time, end_time) "
    "SELECT $1::integer, * FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[])";

std::string DeleteBeforeIn(absl::string_view table) {
  return absl::StrCat(
      "DELETE FROM priorityd.", table, " WHERE ctid = ANY (ARRAY(", "SELECT ctid FROM priorityd.",
      table, " WHERE cluster_id = $1 AND end_time < $2 ", "ORDER BY end_time LIMIT $3::bigint))");
}

constexpr char kWanted[] =
    "unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY "
    "AS w (job_id, start_time, end_time, place)";

// Overlap() of w and `run`.
std::string Overlaps(absl::string_view run) {
  return absl::StrCat("((", run, ".start_time < w.end_time AND ", run,
                      ".end_time > w.start_time) OR ", run, ".start_time = w.start_time)");
}

// The SELECT keeps the cluster from the planner: see storage/database/key_range.h.
constexpr char kOfJob[] = ".cluster_id = (SELECT $1::integer) AND ";

// The last record of the chain that begins with the one of `hit`: a void replaces a record, and
// what it replaced is restored by another.
std::string LastOfChain(absl::string_view hit) {
  return absl::StrCat(
      "(WITH RECURSIVE chain AS (SELECT u.*, 0 AS depth FROM priorityd.usage_record u "
      "WHERE u.cluster_id = $1 AND u.source = ",
      hit, ".source AND u.record_id = ", hit,
      ".record_id UNION ALL SELECT r.*, chain.depth + 1 FROM chain JOIN priorityd.usage_record r "
      "ON r.cluster_id = $1 AND r.source = chain.source AND r.replaces_record_id <> '' "
      "AND r.replaces_record_id = chain.record_id) "
      "SELECT * FROM chain ORDER BY depth DESC LIMIT 1)");
}

struct JobEndStatements {
  std::string charged =
      absl::StrCat("SELECT e.job_id, e.start_time, e.end_time, e.source, e.record_id, ",
                   UsageRecordColumns().Selected("u."), " FROM (SELECT DISTINCT e.* FROM ", kWanted,
                   " JOIN priorityd.job_end e ON e", kOfJob, "e.job_id = w.job_id AND ",
                   Overlaps("e"), ") AS e CROSS JOIN LATERAL ", LastOfChain("e"), " AS u");
  std::string collected = absl::StrCat("SELECT w.place - 1 FROM ", kWanted,
                                       " WHERE EXISTS (SELECT FROM priorityd.job_record r WHERE r",
                                       kOfJob, "r.job_id = w.job_id AND ", Overlaps("r"), ")");
};

const JobEndStatements& JobEndSql() {
  static const auto* const statements = new JobEndStatements;
  return *statements;
}

ChargedRun DecodeCharged(RowReader& row) {
  ChargedRun charged;
  row.Read(&charged.row.job_id, &charged.row.start_time, &charged.row.end_time, &charged.row.source,
           &charged.row.record_id);
  charged.record = UsageRecordColumns().Decode(row);
  return charged;
}

std::vector<Parameter> Wanted(int32_t cluster_id, absl::Span<const JobRun> runs) {
  return {cluster_id, Column(runs, [](const JobRun& run) { return run.job_id; }),
          Column(runs, [](const JobRun& run) { return run.start_time; }),
          Column(runs, [](const JobRun& run) { return run.end_time; })};
}

}  // namespace

absl::StatusOr<std::optional<absl::Time>> JobEndStore::Since(int32_t cluster_id) {
  return transaction_.QueryOptional(OnlyColumn<absl::Time>, kSince, {cluster_id});
}

absl::Status JobEndStore::SwitchOn(int32_t cluster_id, absl::Time since) {
  return transaction_.Execute(kSwitchOn, {cluster_id, since}).status();
}

absl::Status JobEndStore::SwitchOff(int32_t cluster_id) {
  return transaction_.Execute(kSwitchOff, {cluster_id}).status();
}

absl::StatusOr<std::vector<ChargedRun>> JobEndStore::FindCharged(int32_t cluster_id,
                                                                 absl::Span<const JobRun> runs) {
  if (runs.empty()) return std::vector<ChargedRun>();
  return transaction_.Query(DecodeCharged, JobEndSql().charged, Wanted(cluster_id, runs));
}

absl::Status JobEndStore::InsertCollected(int32_t cluster_id, absl::Span<const JobRun> runs) {
  if (runs.empty()) return absl::OkStatus();
  return transaction_.Execute(kInsertCollected, Wanted(cluster_id, runs)).status();
}

absl::StatusOr<std::vector<size_t>> JobEndStore::FindCollected(int32_t cluster_id,
                                                               absl::Span<const JobRun> runs) {
  if (runs.empty()) return std::vector<size_t>();
  auto found =
      transaction_.Query(OnlyColumn<int64_t>, JobEndSql().collected, Wanted(cluster_id, runs));
  if (!found.ok()) return found.status();
  return std::vector<size_t>(found->begin(), found->end());
}

absl::Status JobEndStore::Insert(int32_t cluster_id, const std::vector<JobEndRow>& rows) {
  if (rows.empty()) return absl::OkStatus();
  using R = JobEndRow;
  return transaction_
      .Execute(kInsertJobEnd, {cluster_id, Column(rows, [](const R& row) { return row.job_id; }),
                               Column(rows, [](const R& row) { return row.start_time; }),
                               Column(rows, [](const R& row) { return row.end_time; }),
                               Column(rows, [](const R& row) { return row.source; }),
                               Column(rows, [](const R& row) { return row.record_id; })})
      .status();
}

absl::Status JobEndStore::Delete(int32_t cluster_id, const std::vector<JobEndRow>& rows) {
  if (rows.empty()) return absl::OkStatus();
  using R = JobEndRow;
  return transaction_
      .Execute(kDelete, {cluster_id, Column(rows, [](const R& row) { return row.job_id; }),
                         Column(rows, [](const R& row) { return row.start_time; })})
      .status();
}

absl::StatusOr<int64_t> JobEndStore::DeleteBefore(int32_t cluster_id, absl::Time horizon,
                                                  int64_t limit) {
  int64_t most = 0;
  for (const absl::string_view table : {"job_end", "job_record"}) {
    auto deleted = transaction_.Execute(DeleteBeforeIn(table), {cluster_id, horizon, limit});
    if (!deleted.ok()) return deleted;
    most = std::max(most, *deleted);
  }
  return most;
}

}  // namespace priorityd::storage
