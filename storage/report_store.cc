#include "storage/report_store.h"

namespace priorityd::storage {
namespace {

constexpr char kLatestEnds[] =
    "SELECT job_id, max(end_time) FROM priorityd.usage_record u "
    "WHERE cluster_id = $1 AND end_time > $2 AND job_id <> '' AND NOT EXISTS "
    "(SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
    "AND r.source = u.source AND r.replaces_record_id = u.record_id "
    "AND r.replaces_record_id <> '') GROUP BY job_id ORDER BY job_id COLLATE \"C\"";

// `counted` is the one place where a report reads the ledger: stretches of time that
// somebody used TRES in at an even rate. All else works on those. Of a bucket of what is
// rolled up the amounts stand for rates, and its length is in the factor.
//
// A stretch's buckets are found by binary search, so it costs what it touches.
// Wall time and billing (0 and 5, Slurm's number) come before the TRES submitted;
// a `billing` among those is not the price.
constexpr char kUsage[] =
    "WITH counted AS (SELECT u.start_time, u.end_time, u.association_id, u.user_name, u.qos_id, "
    "u.tres_ids, u.tres_counts, u.billing_rate, 1::double precision AS wall_rate, "
    "CASE WHEN $6 THEN u.usage_factor ELSE 1 END AS factor FROM priorityd.usage_record u "
    "WHERE u.cluster_id = $1 AND ($7::bigint IS NULL OR u.seq <= $7) AND u.start_time < u.end_time "
    "AND u.start_time < ($2::timestamptz[])[cardinality($2::timestamptz[])] "
    "AND u.end_time > ($2::timestamptz[])[1] AND NOT EXISTS "
    "(SELECT FROM priorityd.usage_record r WHERE r.cluster_id = u.cluster_id "
    "AND r.source = u.source AND r.replaces_record_id = u.record_id "
    "AND r.replaces_record_id <> '' AND ($7::bigint IS NULL OR r.seq <= $7)) "
    "UNION ALL SELECT b.start_time, b.end_time, b.association_id, b.user_name, b.qos_id, "
    "b.tres_ids, b.tres_seconds, b.billing_seconds, b.wall_seconds, "
    "CASE WHEN $6 THEN b.usage_factor ELSE 1 END / date_part('epoch', b.end_time - b.start_time) "
    "FROM priorityd.usage_bucket b WHERE b.cluster_id = $1 AND b.start_time < b.end_time "
    "AND b.start_time < ($2::timestamptz[])[cardinality($2::timestamptz[])] "
    "AND b.end_time > ($2::timestamptz[])[1]), "
    "used AS (SELECT bucket, CASE WHEN $3 THEN a.account ELSE '' END AS account, "
    "CASE WHEN $4 THEN c.user_name ELSE '' END AS user_name, "
    "CASE WHEN $5 THEN coalesce(q.name, '') ELSE '' END AS qos, t.tres_id, "
    "sum(micros * t.count * c.factor) / 1e6 AS seconds "
    "FROM counted c JOIN priorityd.association a ON a.id = c.association_id "
    "LEFT JOIN priorityd.qos q ON q.id = c.qos_id "
    "CROSS JOIN LATERAL generate_series("
    "greatest(width_bucket(c.start_time, $2::timestamptz[]), 1), "
    "least(width_bucket(c.end_time - interval '1 microsecond', $2::timestamptz[]), "
    "cardinality($2::timestamptz[]) - 1)) AS bucket "
    "CROSS JOIN LATERAL (SELECT (extract(epoch FROM "
    "least(c.end_time, ($2::timestamptz[])[bucket + 1]) - "
    "greatest(c.start_time, ($2::timestamptz[])[bucket])) * 1000000)::bigint AS micros) AS part "
    "CROSS JOIN LATERAL unnest(ARRAY[0, 5] || c.tres_ids, ARRAY[c.wall_rate, c.billing_rate] || "
    "c.tres_counts) WITH ORDINALITY AS t (tres_id, count, place) "
    "WHERE ($8::text[] = '{}' OR a.account = ANY($8::text[])) "
    "AND ($9::text[] = '{}' OR c.user_name = ANY($9::text[])) "
    "AND ($10::text[] = '{}' OR q.name = ANY($10::text[])) "
    "AND (t.place <= 2 OR t.tres_id <> 5) "
    "AND ($11::boolean OR t.tres_id = 0 OR t.tres_id = ANY($12::integer[])) "
    "GROUP BY 1, 2, 3, 4, 5) "
    "SELECT bucket - 1, account, user_name, qos, array_agg(tres_id ORDER BY tres_id), "
    "array_agg(seconds ORDER BY tres_id) FROM used GROUP BY bucket, account, user_name, qos "
    "ORDER BY bucket, account COLLATE \"C\", user_name COLLATE \"C\", qos COLLATE \"C\" "
    "OFFSET $13::bigint LIMIT $14::bigint";
// A year of records would be sorted on disk with PostgreSQL's 4 MB.
constexpr char kSortInMemory[] = "SET LOCAL work_mem = '64MB'";
constexpr char kAccounts[] =
    "SELECT account, parent FROM (SELECT DISTINCT ON (a.account COLLATE \"C\") a.account, "
    "coalesce(p.account, '') AS parent FROM priorityd.association a "
    "LEFT JOIN priorityd.association p ON p.id = a.parent_id "
    "WHERE a.cluster_id = $1 AND a.user_name = '' "
    "ORDER BY a.account COLLATE \"C\", a.deleted_at DESC NULLS FIRST) AS newest";

ReportRow DecodeReportRow(RowReader& row) {
  ReportRow report;
  row.Read(&report.bucket, &report.account, &report.user_name, &report.qos, &report.tres_seconds);
  return report;
}

AccountParent DecodeAccount(RowReader& row) {
  AccountParent account;
  row.Read(&account.account, &account.parent_account);
  return account;
}

JobEnd DecodeJobEnd(RowReader& row) {
  JobEnd job;
  row.Read(&job.job_id, &job.end_time);
  return job;
}

}  // namespace

absl::StatusOr<std::vector<JobEnd>> ReportStore::LatestEnds(int32_t cluster_id, absl::Time since) {
  return transaction_.Query(DecodeJobEnd, kLatestEnds, {cluster_id, since});
}

absl::StatusOr<std::vector<ReportRow>> ReportStore::Usage(const ReportFilter& filter) {
  if (absl::Status s = transaction_.ExecuteScript(kSortInMemory); !s.ok()) return s;
  return transaction_.Query(
      DecodeReportRow, kUsage,
      {filter.cluster_id, filter.edges, filter.by_account, filter.by_user, filter.by_qos,
       filter.apply_usage_factor, filter.last_seq, filter.accounts, filter.users, filter.qos,
       filter.all_tres, filter.tres_ids, filter.first_row, filter.max_rows});
}

absl::StatusOr<std::vector<AccountParent>> ReportStore::Accounts(int32_t cluster_id) {
  return transaction_.Query(DecodeAccount, kAccounts, {cluster_id});
}

}  // namespace priorityd::storage
