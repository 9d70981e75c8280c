#include "server/rpc/report_usage.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"
#include "server/priority/microseconds.h"
#include "server/priority/tres.h"
#include "server/rpc/audience.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/page_token.h"
#include "server/usage/report_buckets.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using Texts = google::protobuf::RepeatedPtrField<std::string>;

std::vector<std::string> Strings(const Texts& texts) { return {texts.begin(), texts.end()}; }

// A page begins after this row, in the report of a ledger that has grown since.
struct ReportPlace {
  int64_t last_seq = 0;
  int64_t bucket = 0;
  std::vector<std::string> texts;  // Account, user and QOS, and the job of a report by job.

  bool IsValid() const {
    return last_seq >= 1 && bucket >= 0 && bucket < static_cast<int64_t>(usage::kMaxBuckets) &&
           (texts.size() == 3 || texts.size() == 4);
  }
};

usage::BucketRule RuleOf(const v1::ReportUsageRequest& request, absl::TimeZone zone) {
  usage::BucketRule rule;
  rule.time_zone = zone;
  if (request.has_bucket_length()) {
    rule.unit = usage::BucketUnit::kLength;
    rule.length = absl::Trunc(ToDuration(request.bucket_length()), absl::Microseconds(1));
    return rule;
  }
  switch (request.bucket()) {
    case v1::REPORT_BUCKET_HOUR:
      rule.unit = usage::BucketUnit::kHour;
      break;
    case v1::REPORT_BUCKET_DAY:
      rule.unit = usage::BucketUnit::kDay;
      break;
    case v1::REPORT_BUCKET_WEEK:
      rule.unit = usage::BucketUnit::kWeek;
      break;
    case v1::REPORT_BUCKET_MONTH:
      rule.unit = usage::BucketUnit::kMonth;
      break;
    default:
      rule.unit = usage::BucketUnit::kWhole;
  }
  return rule;
}

absl::StatusOr<usage::UsageReportQuery> QueryOf(const v1::ReportUsageRequest& request,
                                                const priority::Snapshot& snapshot,
                                                const PageTokens<ReportPlace>& tokens) {
  usage::UsageReportQuery query;
  query.cluster = snapshot.cluster().name;
  auto edges = usage::BucketEdges(RuleOf(request, snapshot.policy().time_zone),
                                  priority::CutToMicroseconds(ToTime(request.start_time())),
                                  priority::CutToMicroseconds(ToTime(request.end_time())));
  if (!edges.has_value()) {
    return errors::BadRequestError(
        "INVALID_REQUEST",
        {{"bucket", absl::StrCat("got too many buckets, want at most ", usage::kMaxBuckets)}});
  }
  query.edges = *std::move(edges);
  for (const int grouping : request.group_by()) {
    query.by_account |= grouping == v1::REPORT_GROUPING_ACCOUNT;
    query.by_user |= grouping == v1::REPORT_GROUPING_USER;
    query.by_qos |= grouping == v1::REPORT_GROUPING_QOS;
    query.by_job |= grouping == v1::REPORT_GROUPING_JOB;
  }
  query.accounts = Strings(request.accounts());
  query.users = Strings(request.users());
  query.qos = Strings(request.qos());
  query.job_ids = Strings(request.job_ids());
  for (const std::string& name : request.tres()) {
    query.tres.push_back(priority::CanonicalTresName(name).value());
  }
  query.apply_usage_factor = request.apply_usage_factor();
  query.max_rows = PageSizeOf(request.page_size());
  const absl::StatusOr<std::optional<ReportPlace>> place = tokens.Given();
  if (!place.ok()) return place.status();
  if (place->has_value()) {
    const auto& [last_seq, bucket, texts] = **place;
    query.last_seq = last_seq;
    query.after = {bucket, texts[0], texts[1], texts[2], texts.size() > 3 ? texts[3] : ""};
  }
  return query;
}

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
                         storage::Database& database, const authorization::Visibility& sees,
                         const v1::ReportUsageRequest& request, v1::ReportUsageResponse* response) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot =
      registry.Find(request.cluster());
  if (!snapshot.ok()) return snapshot.status();
  const PageTokens<ReportPlace> tokens((*snapshot)->cluster().name, request);
  absl::StatusOr<usage::UsageReportQuery> query = QueryOf(request, **snapshot, tokens);
  if (!query.ok()) return query.status();
  query->audience = AudienceOf(sees);
  absl::StatusOr<usage::UsageReport> report = usage::ReportUsage(database, *query);
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
    response->set_next_page_token(tokens.Next(PlaceOf(*report, query->by_job)));
  }
  const priority::TresMap totals = usage::ClusterTres(**snapshot);
  response->mutable_cluster_tres()->insert(totals.begin(), totals.end());
  response->set_time_zone(ZoneName((*snapshot)->policy().time_zone));
  response->set_cluster((*snapshot)->cluster().name);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
