#include "server/api/usage/convert_report.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/microseconds.h"
#include "engine/priority/site/tres.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/usage/report_buckets.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using Texts = google::protobuf::RepeatedPtrField<std::string>;

std::vector<std::string> Strings(const Texts& texts) { return {texts.begin(), texts.end()}; }

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

}  // namespace

bool ReportPlace::IsValid() const {
  return last_seq >= 1 && bucket >= 0 && bucket < static_cast<int64_t>(usage::kMaxBuckets) &&
         (texts.size() == 3 || texts.size() == 4);
}

absl::StatusOr<usage::UsageReportQuery> QueryOf(const v1::ReportUsageRequest& request,
                                                const std::string& cluster, absl::TimeZone zone) {
  usage::UsageReportQuery query;
  query.cluster = cluster;
  auto edges = usage::BucketEdges(RuleOf(request, zone),
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
  const absl::StatusOr<std::optional<ReportPlace>> place =
      PageTokens<ReportPlace>(cluster, request).Given();
  if (!place.ok()) return place.status();
  if (place->has_value()) {
    const auto& [last_seq, bucket, texts] = **place;
    query.last_seq = last_seq;
    query.after = {bucket, texts[0], texts[1], texts[2], texts.size() > 3 ? texts[3] : ""};
  }
  return query;
}

}  // namespace priorityd::rpc
