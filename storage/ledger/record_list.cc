#include "storage/ledger/record_list.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/ledger/job_accounting_store.h"

namespace priorityd::storage {
namespace {

constexpr char kConditions[] =
    " WHERE u.cluster_id = (SELECT $1::integer) AND u.end_time >= greatest($2::timestamptz, "
    "$4::timestamptz) "
    "AND u.end_time < $3 AND (u.end_time, u.seq) > ($4::timestamptz, $5::bigint) "
    "AND ($6::text[] = '{}' OR u.job_id = ANY($6::text[])) "
    "AND ($7::text[] = '{}' OR a.account = ANY($7::text[])) "
    "AND ($8::text[] = '{}' OR u.user_name = ANY($8::text[])) "
    "AND ($9::text IS NULL OR (u.user_name = $9::text AND u.user_name <> '') "
    "OR a.account = ANY($10::text[]))";

// For each record found: the planner would begin with all associations.
std::string Names() {
  return absl::StrCat(
      " CROSS JOIN LATERAL (SELECT account FROM priorityd.association WHERE cluster_id = $1 AND ",
      IsByIndex("id", "u.association_id"),
      ") AS a LEFT JOIN LATERAL (SELECT name FROM priorityd.qos WHERE cluster_id = $1 AND ",
      IsByIndex("id", "u.qos_id"), ") AS q ON true");
}

std::string Select(absl::string_view ledger) {
  return absl::StrCat("SELECT u.seq, ", UsageRecordColumns().Selected("u."), ", ",
                      JobAccountingColumns().Selected("j."),
                      ", a.account, coalesce(q.name, '') FROM ", ledger, Names(), kConditions);
}

// The row `row` of the same record as `known` by its key; what is left of a record that was rolled
// up is of another end.
std::string SameRecord(absl::string_view table, absl::string_view row, absl::string_view known,
                       absl::string_view same_end) {
  return absl::StrCat(
      " JOIN LATERAL (SELECT * FROM ", table, " AS same WHERE same.cluster_id = $1 AND ", same_end,
      " AND same.source = ", known, ".source AND ",
      IsByIndex("same.record_id", absl::StrCat(known, ".record_id")), ") AS ", row, " ON true");
}

constexpr char kOrder[] = " ORDER BY u.end_time, u.seq LIMIT $11::bigint";

struct RecordListStatements {
  std::string job =
      SameRecord("priorityd.job_accounting", "j", "u", "same.record_end = u.end_time");
  std::string all =
      absl::StrCat(Select(absl::StrCat("priorityd.counted_usage u LEFT", job)), kOrder);
  std::string with_job =
      absl::StrCat(Select(absl::StrCat("priorityd.counted_usage u", job)), kOrder);
  std::string of_jobs = absl::StrCat(
      Select(absl::StrCat(
          "(SELECT * FROM priorityd.job_accounting WHERE cluster_id = $1 "
          "AND job_id = ANY($6::text[]) OFFSET 0) AS j",
          SameRecord("priorityd.counted_usage", "u", "j", "same.end_time = j.record_end"))),
      kOrder);
};

const std::string& StatementFor(const RecordFilter& filter) {
  static const auto* const statements = new RecordListStatements;
  if (!filter.with_job) return statements->all;
  return filter.job_ids.empty() ? statements->with_job : statements->of_jobs;
}

// JobAccountingColumns, of which a record without accounting data has none.
std::optional<JobAccounting> DecodeJob(RowReader& row) {
  std::optional<std::string> source, record_id, job_id;
  std::optional<absl::Time> record_end;
  JobAccounting job;
  row.Read(&source, &record_id, &job_id, &record_end, &job.state, &job.exit_code, &job.exit_signal,
           &job.submit_time, &job.eligible_time, &job.start_time, &job.end_time, &job.time_limit,
           &job.total_cpu, &job.max_rss, &job.req_cpus, &job.req_mem, &job.node_list);
  return source.has_value() ? std::optional(std::move(job)) : std::nullopt;
}

// A page takes its own rows in the order of the index usage_record_end; else all that ends later
// would be read and sorted for each.
constexpr char kByIndex[] =
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; "
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
    "SET LOCAL max_parallel_workers_per_gather = 0";

ListedRecord DecodeListed(RowReader& row) {
  ListedRecord listed;
  row.Read(&listed.seq);
  listed.record = UsageRecordColumns().Decode(row);
  if (auto job = DecodeJob(row)) {
    listed.record.job = std::make_shared<const JobAccounting>(*std::move(job));
  }
  row.Read(&listed.account, &listed.qos);
  return listed;
}

}  // namespace

absl::StatusOr<std::vector<ListedRecord>> ListRecords(Transaction& transaction,
                                                      const RecordFilter& filter) {
  if (filter.job_ids.empty()) {
    if (absl::Status s = transaction.ExecuteScript(kByIndex); !s.ok()) return s;
  }
  const ReportAudience audience = filter.audience.value_or(ReportAudience());
  const auto user = filter.audience.has_value() ? std::optional(audience.user_name) : std::nullopt;
  return transaction.Query(DecodeListed, StatementFor(filter),
                           {filter.cluster_id, filter.ended_from, filter.ended_before,
                            filter.after.end_time, filter.after.seq, filter.job_ids,
                            filter.accounts, filter.users, user, audience.accounts, filter.limit});
}

}  // namespace priorityd::storage
