#include "client/prioctl/sreport.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/job_sizes.h"
#include "client/prioctl/option_error.h"
#include "client/prioctl/report_table.h"
#include "client/prioctl/text.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ReportUsageRequest;
using ::priority::v1::ReportUsageResponse;

absl::Status SetBuckets(const std::string& text, ReportUsageRequest& request) {
  if (text.empty()) return absl::OkStatus();
  constexpr std::pair<absl::string_view, ::priority::v1::ReportBucket> kUnits[] = {
      {"hour", ::priority::v1::REPORT_BUCKET_HOUR},
      {"day", ::priority::v1::REPORT_BUCKET_DAY},
      {"week", ::priority::v1::REPORT_BUCKET_WEEK},
      {"month", ::priority::v1::REPORT_BUCKET_MONTH}};
  for (const auto& [name, unit] : kUnits) {
    if (!absl::EqualsIgnoreCase(text, name)) continue;
    request.set_bucket(unit);
    return absl::OkStatus();
  }
  absl::Duration length;
  if (!absl::ParseDuration(text, &length) || length < absl::Microseconds(1) ||
      length == absl::InfiniteDuration()) {
    return OptionError(absl::StrCat("--buckets: got \"", text,
                                    "\", want hour, day, week, month or a length such as 36h"));
  }
  request.mutable_bucket_length()->set_seconds(absl::ToInt64Seconds(length));
  request.mutable_bucket_length()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(length % absl::Seconds(1))));
  return absl::OkStatus();
}

absl::Status SetPeriod(const SreportOptions& options, absl::Time now, absl::TimeZone zone,
                       ReportUsageRequest& request) {
  auto start =
      tables::ParseReportTime(options.start.empty() ? "yesterday" : options.start, now, zone);
  if (!start.ok()) return OptionError(absl::StrCat("Start: ", start.status().message()));
  absl::StatusOr<absl::Time> end = tables::ParseReportTime("today", now, zone);
  if (options.end.empty() && *end <= *start) end = now;
  if (!options.end.empty()) end = tables::ParseReportTime(options.end, now, zone);
  if (!end.ok()) return OptionError(absl::StrCat("End: ", end.status().message()));
  if (*end <= *start) {
    return OptionError(absl::StrCat("got Start=", tables::ReportTimeText(*start, zone),
                                    " and End=", tables::ReportTimeText(*end, zone),
                                    ", want an End after the Start"));
  }
  *request.mutable_start_time() = ToTimestamp(*start);
  *request.mutable_end_time() = ToTimestamp(*end);
  return absl::OkStatus();
}

void SetGrouping(SlurmReport report, ReportUsageRequest& request) {
  if (report == SlurmReport::kUtilization) return;
  request.add_group_by(::priority::v1::REPORT_GROUPING_ACCOUNT);
  request.add_group_by(
      report == SlurmReport::kAccountUtilizationByQos ? ::priority::v1::REPORT_GROUPING_QOS
      : report == SlurmReport::kSizesByAccount        ? ::priority::v1::REPORT_GROUPING_JOB
                                                      : ::priority::v1::REPORT_GROUPING_USER);
}

}  // namespace

absl::Status CheckOptions(const SreportOptions& options) {
  if (options.report == SlurmReport::kSizesByAccount &&
      (options.tres.size() > 1 || options.all_tres())) {
    return OptionError("-T: got several, want one: sizes are of one trackable resource");
  }
  if (options.report == SlurmReport::kSizesByAccount && !options.buckets.empty()) {
    return OptionError("--buckets: got it with SizesByAccount, want it with another report");
  }
  ReportUsageRequest unused;
  for (const auto& [name, text] :
       {std::pair("Start", options.start), std::pair("End", options.end)}) {
    if (text.empty()) continue;
    const auto time = tables::ParseReportTime(text, absl::UnixEpoch(), absl::UTCTimeZone());
    if (!time.ok()) return OptionError(absl::StrCat(name, ": ", time.status().message()));
  }
  return SetBuckets(options.buckets, unused);
}

absl::StatusOr<ReportUsageRequest> ReportRequest(const SreportOptions& options, absl::Time now,
                                                 absl::TimeZone zone) {
  ReportUsageRequest request;
  if (absl::Status period = SetPeriod(options, now, zone, request); !period.ok()) return period;
  if (absl::Status buckets = SetBuckets(options.buckets, request); !buckets.ok()) return buckets;
  SetGrouping(options.report, request);
  // Accounts named are picked out of the answer: what is below them counts too.
  for (const std::string& user : options.users) request.add_users(user);
  for (const std::string& qos : options.qos) request.add_qos(qos);
  if (options.tres.empty()) {
    request.add_tres("cpu");
    request.add_tres("energy");
  } else if (!options.all_tres()) {
    for (const std::string& tres : options.tres) request.add_tres(tres);
    request.add_tres("cpu");  // By which users are ordered.
  }
  request.set_apply_usage_factor(options.usage_factor);
  return request;
}

void PrintReport(const ReportUsageRequest& request, const ReportUsageResponse& report,
                 const SreportOptions& options, absl::TimeZone zone, std::ostream& out) {
  if (options.report == SlurmReport::kSizesByAccount) {
    PrintJobSizes(request, report, options, zone, out);
  } else {
    PrintUsage(request, report, options, zone, out);
  }
}

}  // namespace priorityd::prioctl
