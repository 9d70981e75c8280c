#include "client/prioctl/sreport/sreport.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/sreport/commands.h"
#include "client/prioctl/sreport/job_sizes.h"
#include "client/prioctl/sreport/report_picture.h"
#include "client/prioctl/sreport/report_table.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"
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

namespace {

// The time of the cluster: that of its newest recalculation, where the clock is manual.
absl::Time NowOf(const absl::StatusOr<::priority::v1::Policy>& policy,
                 const client::PriorityClient& client) {
  if (!policy.ok() || policy->parameters().clock() != "manual") return absl::Now();
  ::priority::v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(1);
  request.set_ineligible_limit(1);
  request.set_running_limit(0);
  const absl::StatusOr<::priority::v1::RankJobsResponse> answer = client.RankJobs(request);
  if (!answer.ok() || !answer->snapshot().has_computed_at()) return absl::Now();
  const auto& time = answer->snapshot().computed_at();
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Status Run(const SreportOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::Status checked = CheckOptions(options);
  if (checked.ok()) checked = CheckReportPicture(options);
  if (!checked.ok()) return checked;
  const absl::StatusOr<::priority::v1::Policy> policy = client.GetPolicy({});
  // A cluster need not have a policy.
  if (!policy.ok() && !absl::IsNotFound(policy.status())) return policy.status();
  const absl::TimeZone zone =
      policy.ok() ? tables::ZoneOf(policy->parameters()) : absl::LocalTimeZone();
  const auto request = ReportRequest(options, NowOf(policy, client), zone);
  if (!request.ok()) return request.status();
  const absl::StatusOr<::priority::v1::ReportUsageResponse> report =
      client.ReportAllUsage(*request);
  if (!report.ok()) return report.status();
  if (options.picture.any()) {
    return WritePicture(options.picture, ReportPicture(*request, *report, options, zone),
                        console.out);
  }
  if (options.json) {
    console.out << ToJson(*report) << '\n';
  } else {
    PrintReport(*request, *report, options, zone, console.out);
  }
  return absl::OkStatus();
}

constexpr char kReportHelp[] =
    "cluster AccountUtilizationByUser | UserUtilizationByAccount | AccountUtilizationByQOS | "
    "Utilization, job SizesByAccount, or user TopUsage; then Start=TIME End=TIME (exclusive; "
    "default yesterday) Accounts=LIST Users=LIST QOS=LIST Tree Group TopCount=N "
    "Format=FIELD[%WIDTH],...; of sizes Grouping=N,... FlatView AcctAsParent PrintJobCount";

void AddSreportOptions(CLI::App* app, CommandLine& line) {
  AddToolOptions(app, "sreport");
  AddFederation(app);
  AddIgnored(app, "-a,--all_clusters", "Accepted for the only cluster; of several name one by -M");
  AddIgnored(app, "-Q,--quiet", "Accepted; only the report is printed anyway");
  auto options = std::make_shared<SreportOptions>();
  auto words = std::make_shared<std::vector<std::string>>();
  app->callback([=, &line] {
    const absl::Status parsed = ParseReportWords(*words, *options, line.named_cluster);
    if (!parsed.ok()) {
      throw CLI::ValidationError("REPORT", std::string(parsed.message()));
    }
    line.run = Bind<SreportOptions>(options, Run);
  });
  app->add_option("REPORT", *words, kReportHelp)->required()->type_name("");
  app->add_option_function<std::string>(
         "-t",
         [options](const std::string& text) {
           const absl::Status parsed = ParseReportTimeFormat(text, options->time_format);
           if (!parsed.ok()) throw CLI::ValidationError("-t", std::string(parsed.message()));
         },
         "Seconds, Minutes (default), Hours, Percent, SecPer, MinPer or HourPer")
      ->type_name("FORMAT");
  AddList(app, "-T,--tres", options->tres, "These trackable resources, or ALL; default cpu");
  app->add_option("--buckets", options->buckets, "hour, day, week, month, or a length such as 36h")
      ->type_name("BUCKET");
  app->add_flag("--usage-factor", options->usage_factor,
                "Count usage times the UsageFactor of its QOS, as fair-share does");
  AddClusters(app, line);
  app->add_flag_callback(
      "-n,--noheader", [options] { options->header = false; }, "Print no header");
  AddLayout(app, options->layout);
  app->add_flag("--full-precision", options->full_precision,
                "Every number with 17 significant digits");
  AddPicture(app, options->picture);
  AddJson(app, options->json);
}

}  // namespace

const Command kSreportCommand = {"sreport", "Undecayed usage, as Slurm's sreport shows it",
                                 AddSreportOptions};

}  // namespace priorityd::prioctl
