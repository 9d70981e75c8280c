#include "storage/ledger/report_store.h"

#include "storage/database/local_setting.h"
#include "storage/ledger/statement_files.h"

namespace priorityd::storage {
namespace {

// The SELECT keeps the cluster from the planner: see storage/database/key_range.h.
constexpr char kLatestEndsSince[] =
    "SELECT job_id, max(end_time) FROM priorityd.counted_usage "
    "WHERE cluster_id = (SELECT $1::integer) AND end_time > $2 AND job_id <> '' "
    "GROUP BY job_id ORDER BY job_id COLLATE \"C\"";
constexpr char kAccounts[] =
    "SELECT account, parent FROM (SELECT DISTINCT ON (a.account COLLATE \"C\") a.account, "
    "coalesce(p.account, '') AS parent FROM priorityd.association a "
    "LEFT JOIN priorityd.association p ON p.cluster_id = a.cluster_id AND p.id = a.parent_id "
    "WHERE a.cluster_id = (SELECT $1::integer) AND a.user_name = '' "
    "ORDER BY a.account COLLATE \"C\", a.deleted_at DESC NULLS FIRST) AS newest";

ReportRow DecodeReportRow(RowReader& row) {
  ReportRow report;
  row.Read(&report.bucket, &report.account, &report.user_name, &report.qos, &report.tres_seconds,
           &report.job_id, &report.partition, &report.start_time, &report.end_time,
           &report.association_id);
  return report;
}

AccountParent DecodeAccount(RowReader& row) {
  AccountParent account;
  row.Read(&account.account, &account.parent_account);
  return account;
}

}  // namespace

JobEnd DecodeJobEnd(RowReader& row) {
  JobEnd job;
  row.Read(&job.job_id, &job.end_time);
  return job;
}

absl::StatusOr<std::vector<JobEnd>> ReportStore::LatestEnds(int32_t cluster_id, absl::Time since) {
  return transaction_.Query(DecodeJobEnd, kLatestEndsSince, {cluster_id, since});
}

absl::StatusOr<std::vector<ReportRow>> ReportStore::Usage(const ReportFilter& filter) {
  if (absl::Status s = transaction_.ExecuteScript(kSortInMemory); !s.ok()) return s;
  const ReportPlace after = filter.after.value_or(ReportPlace());
  const auto bucket = filter.after.has_value() ? std::optional(after.bucket) : std::nullopt;
  const ReportAudience audience = filter.audience.value_or(ReportAudience());
  const auto user = filter.audience.has_value() ? std::optional(audience.user_name) : std::nullopt;
  return transaction_.Query(DecodeReportRow, kUsageReport,
                            {filter.cluster_id,
                             filter.edges,
                             filter.by_account,
                             filter.by_user,
                             filter.by_qos,
                             filter.apply_usage_factor,
                             filter.last_seq,
                             filter.accounts,
                             filter.users,
                             filter.qos,
                             filter.all_tres,
                             filter.tres_ids,
                             bucket,
                             after.account,
                             after.user_name,
                             after.qos,
                             filter.max_rows,
                             user,
                             audience.accounts,
                             filter.by_job,
                             filter.job_ids,
                             after.job_id,
                             filter.by_association});
}

absl::StatusOr<std::vector<AccountParent>> ReportStore::Accounts(int32_t cluster_id) {
  return transaction_.Query(DecodeAccount, kAccounts, {cluster_id});
}

}  // namespace priorityd::storage
