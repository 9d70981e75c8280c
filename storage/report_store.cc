#include "storage/report_store.h"

namespace priorityd::storage {
namespace {

constexpr char kLatestEnds[] =
    "SELECT job_id, max(end_time) FROM priorityd.usage_record "
    "WHERE cluster_id = $1 AND end_time > $2 AND job_id <> '' "
    "GROUP BY job_id ORDER BY job_id COLLATE \"C\"";

// A record's buckets are found by binary search, so it costs what it touches.
// Wall time and billing (0 and 5, Slurm's number) come before the TRES submitted;
// a `billing` among those is not the price.
constexpr char kUsage[] =
    "WITH used AS (SELECT bucket, "
    "CASE WHEN $3 THEN a.account ELSE '' END AS account, "
    "CASE WHEN $4 THEN r.user_name ELSE '' END AS user_name, "
    "CASE WHEN $5 THEN coalesce(q.name, '') ELSE '' END AS qos, t.tres_id, "
    "sum(micros * t.count * CASE WHEN $6 THEN r.usage_factor ELSE 1 END) / 1e6 AS seconds "
    "FROM priorityd.usage_record r "
    "JOIN priorityd.association a ON a.id = r.association_id "
    "LEFT JOIN priorityd.qos q ON q.id = r.qos_id "
    "CROSS JOIN LATERAL generate_series("
    "greatest(width_bucket(r.start_time, $2::timestamptz[]), 1), "
    "least(width_bucket(r.end_time - interval '1 microsecond', $2::timestamptz[]), "
    "cardinality($2::timestamptz[]) - 1)) AS bucket "
    "CROSS JOIN LATERAL (SELECT (extract(epoch FROM "
    "least(r.end_time, ($2::timestamptz[])[bucket + 1]) - "
    "greatest(r.start_time, ($2::timestamptz[])[bucket])) * 1000000)::bigint AS micros) AS part "
    "CROSS JOIN LATERAL unnest(ARRAY[0, 5] || r.tres_ids, ARRAY[1, r.billing_rate] || "
    "r.tres_counts) WITH ORDINALITY AS t (tres_id, count, place) "
    "WHERE r.cluster_id = $1 AND r.seq <= $7 AND r.start_time < r.end_time "
    "AND r.start_time < ($2::timestamptz[])[cardinality($2::timestamptz[])] "
    "AND r.end_time > ($2::timestamptz[])[1] "
    "AND ($8::text[] = '{}' OR a.account = ANY($8::text[])) "
    "AND ($9::text[] = '{}' OR r.user_name = ANY($9::text[])) "
    "AND ($10::text[] = '{}' OR q.name = ANY($10::text[])) "
    "AND (t.place <= 2 OR t.tres_id <> 5) "
    "AND ($11::boolean OR t.tres_id = 0 OR t.tres_id = ANY($12::integer[])) "
    "AND NOT EXISTS (SELECT FROM priorityd.usage_record c WHERE c.cluster_id = r.cluster_id "
    "AND c.source = r.source AND c.replaces_record_id = r.record_id "
    "AND c.replaces_record_id <> '') "
    "GROUP BY 1, 2, 3, 4, 5) "
    "SELECT bucket - 1, account, user_name, qos, array_agg(tres_id ORDER BY tres_id), "
    "array_agg(seconds ORDER BY tres_id) FROM used GROUP BY bucket, account, user_name, qos "
    "ORDER BY bucket, account COLLATE \"C\", user_name COLLATE \"C\", qos COLLATE \"C\" "
    "OFFSET $13::bigint LIMIT $14::bigint";
constexpr char kLastSeq[] = "SELECT coalesce(max(seq), 0) FROM priorityd.usage_record";
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

int64_t DecodeSeq(RowReader& row) {
  int64_t seq = 0;
  row.Read(&seq);
  return seq;
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
  return transaction_.Query(
      DecodeReportRow, kUsage,
      {filter.cluster_id, filter.edges, filter.by_account, filter.by_user, filter.by_qos,
       filter.apply_usage_factor, filter.last_seq, filter.accounts, filter.users, filter.qos,
       filter.all_tres, filter.tres_ids, filter.first_row, filter.max_rows});
}

absl::StatusOr<int64_t> ReportStore::LastSeq() {
  return transaction_.QueryOne(DecodeSeq, kLastSeq);
}

absl::StatusOr<std::vector<AccountParent>> ReportStore::Accounts(int32_t cluster_id) {
  return transaction_.Query(DecodeAccount, kAccounts, {cluster_id});
}

}  // namespace priorityd::storage
