#include "server/api/usage/report_usage.h"

#include <memory>
#include <string>
#include <vector>

#include "server/api/usage/audience.h"
#include "server/api/usage/convert_report.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void FillRow(const std::vector<absl::Time>& edges, const usage::UsageReportRow& row,
             v1::UsageReportRow* proto) {
  ToProto(edges[row.bucket], proto->mutable_start_time());
  ToProto(edges[row.bucket + 1], proto->mutable_end_time());
  proto->set_account(row.account);
  proto->set_user(row.user);
  proto->set_qos(row.qos);
  proto->mutable_tres_seconds()->insert(row.tres_seconds.begin(), row.tres_seconds.end());
  proto->set_wall_seconds(row.wall_seconds);
  proto->set_job_id(row.job_id);
  proto->set_partition(row.partition);
  if (row.start_time.has_value()) ToProto(*row.start_time, proto->mutable_job_start_time());
  if (row.end_time.has_value()) ToProto(*row.end_time, proto->mutable_job_end_time());
}

ReportPlace PlaceOf(const usage::UsageReport& report, bool by_job) {
  const usage::UsageReportRow& last = report.rows.back();
  ReportPlace place = {report.last_seq, last.bucket, {last.account, last.user, last.qos}};
  if (by_job) place.texts.push_back(last.job_id);
  return place;
}

}  // namespace

absl::Status ReportUsage(const recalculation::SnapshotRegistry& registry,
                         storage::ReportDatabase& reports, const authorization::Visibility& sees,
                         const v1::ReportUsageRequest& request, v1::ReportUsageResponse* response) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot =
      registry.Find(request.cluster());
  if (!snapshot.ok()) return snapshot.status();
  const std::string& cluster = (*snapshot)->cluster().name;
  auto query = QueryOf(request, cluster, (*snapshot)->policy().time_zone);
  if (!query.ok()) return query.status();
  query->audience = AudienceOf(sees);
  absl::StatusOr<usage::UsageReport> report = usage::ReportUsage(reports, *query);
  if (!report.ok()) return report.status();

  for (const usage::UsageReportRow& row : report->rows) {
    FillRow(query->edges, row, response->add_rows());
  }
  for (const storage::AccountParent& account : report->accounts) {
    if (!sees.SeesShares("", account.account)) continue;
    v1::ReportAccount* added = response->add_accounts();
    added->set_account(account.account);
    added->set_parent_account(account.parent_account);
  }
  if (report->more) {
    const PageTokens<ReportPlace> tokens(cluster, request);
    response->set_next_page_token(tokens.Next(PlaceOf(*report, query->by_job)));
  }
  const priority::TresMap totals = usage::ClusterTres(**snapshot);
  response->mutable_cluster_tres()->insert(totals.begin(), totals.end());
  response->set_time_zone(ZoneName((*snapshot)->policy().time_zone));
  response->set_cluster(cluster);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
