#include "client/prioctl/slurm/sacct.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/job_selection.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/slurm/sacct_fields.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/ledger_runs.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// The service takes no more names in a filter.
constexpr int kNamesAtOnce = 1000;

constexpr char kDefaultFormat[] = "JobID,JobName,Partition,Account,AllocCPUS,State,ExitCode";

std::string FormatOf(const SacctOptions& options) {
  return options.format.empty() ? kDefaultFormat : options.format;
}

absl::StatusOr<v1::ReportUsageRequest> WindowRequest(const SacctOptions& options, absl::Time now,
                                                     absl::TimeZone zone) {
  v1::ReportUsageRequest request;
  for (const auto grouping : {v1::REPORT_GROUPING_ACCOUNT, v1::REPORT_GROUPING_USER,
                              v1::REPORT_GROUPING_QOS, v1::REPORT_GROUPING_JOB}) {
    request.add_group_by(grouping);
  }
  absl::Time start = absl::UnixEpoch();
  if (!options.start.empty() || options.jobs.empty()) {
    const auto given =
        tables::ParseReportTime(options.start.empty() ? "today" : options.start, now, zone);
    if (!given.ok()) return OptionError(absl::StrCat("-S: ", given.status().message()));
    start = *given;
  }
  const auto end = tables::ParseReportTime(options.end.empty() ? "now" : options.end, now, zone);
  if (!end.ok()) return OptionError(absl::StrCat("-E: ", end.status().message()));
  if (*end <= start) return OptionError("-E: got a time not after -S, want a later one");
  *request.mutable_start_time() = ToTimestamp(start);
  *request.mutable_end_time() = ToTimestamp(*end);
  request.mutable_job_ids()->Add(options.jobs.begin(), options.jobs.end());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  if (options.users.empty() && options.jobs.empty() && !options.all_users &&
      CallingUser() != "root") {
    request.add_users(CallingUser());
  }
  return request;
}

// All that jobs of the window used, in it or not, as sacct shows them.
absl::StatusOr<v1::ReportUsageResponse> WholeJobs(const v1::ReportUsageResponse& window,
                                                  v1::ReportUsageRequest request, absl::Time now,
                                                  const client::PriorityClient& client) {
  *request.mutable_start_time() = ToTimestamp(absl::UnixEpoch());
  *request.mutable_end_time() = ToTimestamp(now + absl::Hours(24));
  v1::ReportUsageResponse all;
  for (int i = 0; i < window.rows_size();) {
    request.clear_job_ids();
    for (; i < window.rows_size() && request.job_ids_size() < kNamesAtOnce; ++i) {
      if (!window.rows(i).job_id().empty()) request.add_job_ids(window.rows(i).job_id());
    }
    if (request.job_ids().empty()) break;
    const auto part = client.ReportAllUsage(request);
    if (!part.ok()) return part.status();
    all.mutable_rows()->MergeFrom(part->rows());
    all.set_cluster(part->cluster());
  }
  return all;
}

absl::StatusOr<v1::ListJobsResponse> Tracked(const v1::ReportUsageResponse& report,
                                             const client::PriorityClient& client) {
  v1::ListJobsResponse all;
  for (int i = 0; i < report.rows_size();) {
    v1::ListJobsRequest request;
    for (; i < report.rows_size() && request.job_ids_size() < kNamesAtOnce; ++i) {
      request.add_job_ids(report.rows(i).job_id());
    }
    auto part = client.ListAllJobs(request);
    if (!part.ok()) return part.status();
    all.mutable_jobs()->MergeFrom(part->jobs());
  }
  return all;
}

// The accounting data of the report's jobs; empty from a service that does not support it.
absl::StatusOr<v1::ListUsageRecordsResponse> RecordsOf(const v1::ReportUsageResponse& report,
                                                       const client::PriorityClient& client) {
  v1::ListUsageRecordsResponse all;
  for (int i = 0; i < report.rows_size();) {
    v1::ListUsageRecordsRequest request;
    request.set_with_job(true);
    for (; i < report.rows_size() && request.job_ids_size() < kNamesAtOnce; ++i) {
      request.add_job_ids(report.rows(i).job_id());
    }
    const auto part = client.ListAllUsageRecords(request, std::numeric_limits<int64_t>::max());
    if (absl::IsUnimplemented(part.status())) return all;
    if (!part.ok()) return part.status();
    all.mutable_records()->MergeFrom(part->records());
  }
  return all;
}

}  // namespace

absl::Status PrintAccounting(const v1::ReportUsageResponse& report,
                             const v1::ListJobsResponse& tracked,
                             const v1::ListUsageRecordsResponse& records,
                             const SacctOptions& options, absl::TimeZone zone, std::ostream& out) {
  const auto fields = ParseAccountingFormat(FormatOf(options));
  if (!fields.ok()) return fields.status();
  std::map<std::string, const v1::TrackedJob*> known;
  for (const v1::TrackedJob& job : tracked.jobs()) known[job.job().job_id()] = &job;
  const std::vector<tables::JobRun> runs = tables::RunsOf(records.records());
  std::map<std::string, const tables::JobRun*> last_run;
  for (const tables::JobRun& run : runs) last_run[run.last.record().job_id()] = &run;
  std::vector<const v1::UsageReportRow*> rows;
  for (const v1::UsageReportRow& row : report.rows()) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->job_start_time().seconds() < b->job_start_time().seconds();
  });
  std::vector<SlurmField> columns;
  for (const AccountingField& field : *fields) columns.push_back(field.field);
  SlurmTable table(columns, options.layout, /*full_precision=*/false, &out);
  if (options.header) table.PrintHeader();
  for (const v1::UsageReportRow* row : rows) {
    const auto found = known.find(row->job_id());
    const auto run = last_run.find(row->job_id());
    const AccountedJob job{*row, found == known.end() ? nullptr : found->second,
                           run == last_run.end() ? nullptr : run->second, report.cluster(), zone};
    std::vector<SlurmCell> cells;
    for (const AccountingField& field : *fields) cells.push_back(field.cell(job));
    table.PrintRow(cells);
  }
  return absl::OkStatus();
}

namespace {

absl::Status Run(const SacctOptions& typed, const client::PriorityClient& client,
                 Console& console) {
  SacctOptions options = typed;
  SetFromEnvironment("SACCT_FORMAT", &options.format);
  if (const auto fields = ParseAccountingFormat(FormatOf(options)); !fields.ok())
    return fields.status();
  const absl::Time now = absl::Now();
  auto request = WindowRequest(options, now, absl::LocalTimeZone());
  if (!request.ok()) return request.status();
  const auto window = client.ReportAllUsage(*request);
  if (!window.ok()) return window.status();
  const auto report = WholeJobs(*window, *request, now, client);
  if (!report.ok()) return report.status();
  const auto is_listed = [&](const std::string& id) {
    return absl::c_any_of(report->rows(), [&](const auto& row) { return row.job_id() == id; });
  };
  jobs::WarnOfUnlistedJobs(options.jobs, is_listed, "48,49,50", console.err);
  if (options.json) return PrintJson(*report, console.out);
  const auto tracked = Tracked(*report, client);
  if (!tracked.ok()) return tracked.status();
  const auto records = RecordsOf(*report, client);
  if (!records.ok()) return records.status();
  return PrintAccounting(*report, *tracked, *records, options, absl::LocalTimeZone(), console.out);
}

void AddSacctOptions(CLI::App* app, CommandLine& line) {
  AddToolOptions(app, "sacct");
  auto options = Adopt<SacctOptions>(app, line, Run);
  AddList(app, "-j,--jobs", options->jobs, "Only these jobs");
  AddList(app, "-u,--uid,--user", options->users, "Only jobs of these users");
  AddList(app, "-A,--accounts", options->accounts, "Only jobs charged to these accounts");
  app->add_flag("-a,--allusers", options->all_users, "All users, not just the calling one");
  app->add_option("-S,--starttime", options->start,
                  "Jobs that ran from then on; default midnight, with -j the beginning")
      ->type_name("TIME");
  app->add_option("-E,--endtime", options->end, "Jobs that ran before then; default now")
      ->type_name("TIME");
  app->add_option("-o,--format", options->format,
                  "Fields, each with a width if wanted; default SACCT_FORMAT of the environment")
      ->type_name("NAME[%WIDTH],...");
  AddIgnored(app, "-X,--allocations", "Accepted; the ledger has no steps");
  AddClusters(app, line);
  app->add_flag_callback(
      "-n,--noheader", [options] { options->header = false; }, "Print no header");
  AddLayout(app, options->layout);
  AddJson(app, options->json);
}

}  // namespace

const Command kSacctCommand = {
    "sacct", "What jobs used, as far as the ledger has it, in the columns of Slurm's sacct",
    AddSacctOptions};

}  // namespace priorityd::prioctl
