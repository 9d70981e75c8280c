#include "client/prioctl/sreport.h"

#include <pwd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/option_error.h"
#include "client/prioctl/report_fields.h"
#include "client/prioctl/report_rows.h"
#include "client/prioctl/report_time.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

using priority::v1::ReportUsageRequest;
using priority::v1::ReportUsageResponse;

constexpr char kRule[] =
    "--------------------------------------------------------------------------------\n";

absl::Status SetBuckets(const std::string& text, ReportUsageRequest& request) {
  if (text.empty()) return absl::OkStatus();
  constexpr std::pair<absl::string_view, priority::v1::ReportBucket> kUnits[] = {
      {"hour", priority::v1::REPORT_BUCKET_HOUR},
      {"day", priority::v1::REPORT_BUCKET_DAY},
      {"week", priority::v1::REPORT_BUCKET_WEEK},
      {"month", priority::v1::REPORT_BUCKET_MONTH}};
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
  auto start = ParseReportTime(options.start.empty() ? "yesterday" : options.start, now, zone);
  if (!start.ok()) return OptionError(absl::StrCat("Start: ", start.status().message()));
  absl::StatusOr<absl::Time> end = ParseReportTime("today", now, zone);
  if (options.end.empty() && *end <= *start) end = now;
  if (!options.end.empty()) end = ParseReportTime(options.end, now, zone);
  if (!end.ok()) return OptionError(absl::StrCat("End: ", end.status().message()));
  if (*end <= *start) {
    return OptionError(absl::StrCat("got Start=", ReportTimeText(*start, zone), " and End=",
                                    ReportTimeText(*end, zone), ", want an End after the Start"));
  }
  *request.mutable_start_time() = ToTimestamp(*start);
  *request.mutable_end_time() = ToTimestamp(*end);
  return absl::OkStatus();
}

bool AllTres(const SreportOptions& options) {
  return options.tres.size() == 1 && absl::EqualsIgnoreCase(options.tres[0], "ALL");
}

// The TRES to print, in order.
std::vector<std::string> ShownTres(const ReportUsageResponse& report,
                                   const SreportOptions& options) {
  if (options.tres.empty()) return {"cpu"};
  std::vector<std::string> shown;
  if (!AllTres(options)) {
    for (const std::string& name : options.tres) shown.push_back(absl::AsciiStrToLower(name));
    return shown;
  }
  std::set<std::string> used;
  for (const auto& row : report.rows()) {
    for (const auto& [name, seconds] : row.tres_seconds()) used.insert(name);
  }
  return {used.begin(), used.end()};
}

constexpr double kLargestWhole = 1e19;
constexpr int kWithPercentWidth = 18;
constexpr int kTreeWidth = 20;

// How much room a number of a column that grows wants.
int WidthOf(const SlurmCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return static_cast<int>(text->size());
  if (const auto* number = std::get_if<uint64_t>(&cell)) {
    return static_cast<int>(absl::StrCat(*number).size());
  }
  return 0;
}

// As Slurm's sreport knows users: by the password database.
std::string ProperName(const std::string& user) {
  const passwd* entry = user.empty() ? nullptr : getpwnam(user.c_str());
  return entry == nullptr || entry->pw_gecos == nullptr ? "" : entry->pw_gecos;
}

// Writes the table of one report.
class ReportPrinter {
 public:
  ReportPrinter(const ReportUsageRequest& request, const ReportUsageResponse& report,
                const SreportOptions& options, absl::TimeZone zone, std::ostream& out)
      : request_(request),
        report_(report),
        options_(options),
        zone_(zone),
        out_(out),
        tres_(ShownTres(report, options)) {}

  void Print() {
    SetFields();
    const std::string first = tres_.empty() ? "" : tres_.front();
    for (const ReportBucketLines& bucket : LinesOf(report_, options_, first)) {
      for (const ReportLine& line : bucket.lines) AddRows(bucket, line);
    }
    std::vector<SlurmField> columns;
    for (const ReportField& field : fields_) columns.push_back(field.field);
    SlurmTable table(columns, options_.layout, options_.full_precision, &out_);
    if (options_.header) PrintTitle();
    if (options_.header) table.PrintHeader();
    for (const std::vector<SlurmCell>& row : rows_) table.PrintRow(row);
  }

 private:
  bool by_user() const {
    return options_.report == SlurmReport::kUserUtilizationByAccount ||
           options_.report == SlurmReport::kTopUsage;
  }
  bool by_qos() const { return options_.report == SlurmReport::kAccountUtilizationByQos; }

  std::string Title() const {
    switch (options_.report) {
      case SlurmReport::kAccountUtilizationByUser:
        return "Cluster/Account/User Utilization";
      case SlurmReport::kUserUtilizationByAccount:
        return "Cluster/User/Account Utilization";
      case SlurmReport::kAccountUtilizationByQos:
        return "Cluster/Account/QOS Utilization";
      case SlurmReport::kTopUsage:
        return absl::StrCat("Top ", options_.top_count, " Users");
    }
    return "";
  }

  std::string UnitText() const {
    const std::string of = options_.tres.empty() ? "CPU" : "TRES";
    const char* also = options_.time_format.with_percent ? "/Percentage of Total" : "";
    switch (options_.time_format.unit) {
      case ReportUnit::kSeconds:
        return absl::StrCat(of, " Seconds", also);
      case ReportUnit::kMinutes:
        return absl::StrCat(of, " Minutes", also);
      case ReportUnit::kHours:
        return absl::StrCat(of, " Hours", also);
      case ReportUnit::kPercent:
        return "Percentage of Total";
    }
    return "";
  }

  void PrintTitle() {
    const absl::Time start = absl::FromUnixSeconds(request_.start_time().seconds());
    const absl::Time end = absl::FromUnixSeconds(request_.end_time().seconds());
    out_ << kRule << Title() << ' ' << ReportTimeText(start, zone_) << " - "
         << ReportTimeText(end - absl::Seconds(1), zone_) << " ("
         << absl::ToInt64Seconds(end - start) << " secs)\n"
         << "Usage reported in " << UnitText() << '\n'
         << kRule;
  }

  void Add(ReportColumn column) { fields_.push_back(FieldOf(column)); }

  // The columns that sreport has for this report; a bucket's start before those.
  void SetFields() {
    fields_ = options_.format;
    if (!fields_.empty()) return;
    if (!options_.buckets.empty()) Add(ReportColumn::kStart);
    Add(ReportColumn::kCluster);
    if (!by_user()) Add(ReportColumn::kAccount);
    if (by_qos()) {
      Add(ReportColumn::kQos);
    } else {
      Add(ReportColumn::kLogin);
      Add(ReportColumn::kProperName);
    }
    if (by_user()) Add(ReportColumn::kAccount);
    if (!options_.tres.empty()) Add(ReportColumn::kTresName);
    Add(ReportColumn::kUsed);
    if (options_.tres.empty()) Add(ReportColumn::kEnergy);
    for (ReportField& field : fields_) {
      if (field.grows && options_.time_format.with_percent) field.field.width = kWithPercentWidth;
      if (field.column != ReportColumn::kAccount || !options_.tree) continue;
      field.field.width = kTreeWidth;
      field.field.left = true;
    }
  }

  SlurmCell Cell(ReportColumn column, const ReportBucketLines& bucket, const ReportLine& line,
                 const std::string& tres) const {
    switch (column) {
      case ReportColumn::kStart:
        return ReportTimeText(bucket.start, zone_);
      case ReportColumn::kCluster:
        return report_.cluster();
      case ReportColumn::kAccount:
        return std::string(options_.tree ? line.depth : 0, ' ') + line.account;
      case ReportColumn::kLogin:
        return line.user;
      case ReportColumn::kProperName:
        return ProperName(line.user);
      case ReportColumn::kQos:
        return line.qos;
      case ReportColumn::kTresName:
        return tres;
      case ReportColumn::kUsed:
        return UsedCell(bucket, line, tres);
      case ReportColumn::kEnergy:
        return UsedCell(bucket, line, "energy");
    }
    return std::monostate();
  }

  void AddRows(const ReportBucketLines& bucket, const ReportLine& line) {
    for (const std::string& tres : tres_) {
      std::vector<SlurmCell>& row = rows_.emplace_back();
      for (ReportField& field : fields_) {
        row.push_back(Cell(field.column, bucket, line, tres));
        if (field.grows) field.field.width = std::max(field.field.width, WidthOf(row.back()));
      }
    }
  }

  double Percent(const ReportBucketLines& bucket, double seconds, const std::string& tres) const {
    const auto total = report_.cluster_tres().find(tres);
    if (total == report_.cluster_tres().end() || total->second <= 0) return 0;
    return 100 * seconds / (total->second * absl::ToDoubleSeconds(bucket.end - bucket.start));
  }

  SlurmCell UsedCell(const ReportBucketLines& bucket, const ReportLine& line,
                     const std::string& tres) const {
    const auto used = line.used.find(tres);
    const double seconds = used == line.used.end() ? 0 : used->second;
    const double percent = Percent(bucket, seconds, tres);
    const ReportUnit unit = options_.time_format.unit;
    if (unit == ReportUnit::kPercent) {
      return options_.full_precision ? SlurmCell(percent)
                                     : SlurmCell(std::string(absl::StrFormat("%.2f%%", percent)));
    }
    const double amount = seconds / (unit == ReportUnit::kMinutes ? 60
                                     : unit == ReportUnit::kHours ? 3600
                                                                  : 1);
    if (options_.full_precision) return amount;
    if (options_.time_format.with_percent) {
      return std::string(absl::StrFormat("%.0f(%.2f%%)", amount, percent));
    }
    // A whole number is printed whole, however wide.
    return static_cast<uint64_t>(std::min(std::round(amount), kLargestWhole));
  }

  const ReportUsageRequest& request_;
  const ReportUsageResponse& report_;
  const SreportOptions& options_;
  const absl::TimeZone zone_;
  std::ostream& out_;
  const std::vector<std::string> tres_;
  std::vector<ReportField> fields_;
  std::vector<std::vector<SlurmCell>> rows_;
};

}  // namespace

absl::Status CheckOptions(const SreportOptions& options) {
  ReportUsageRequest unused;
  for (const auto& [name, text] :
       {std::pair("Start", options.start), std::pair("End", options.end)}) {
    if (text.empty()) continue;
    const auto time = ParseReportTime(text, absl::UnixEpoch(), absl::UTCTimeZone());
    if (!time.ok()) return OptionError(absl::StrCat(name, ": ", time.status().message()));
  }
  return SetBuckets(options.buckets, unused);
}

absl::StatusOr<ReportUsageRequest> ReportRequest(const SreportOptions& options, absl::Time now,
                                                 absl::TimeZone zone) {
  ReportUsageRequest request;
  if (absl::Status period = SetPeriod(options, now, zone, request); !period.ok()) return period;
  if (absl::Status buckets = SetBuckets(options.buckets, request); !buckets.ok()) return buckets;
  request.add_group_by(priority::v1::REPORT_GROUPING_ACCOUNT);
  request.add_group_by(options.report == SlurmReport::kAccountUtilizationByQos
                           ? priority::v1::REPORT_GROUPING_QOS
                           : priority::v1::REPORT_GROUPING_USER);
  // Accounts named are picked out of the answer: what is below them counts too.
  for (const std::string& user : options.users) request.add_users(user);
  for (const std::string& qos : options.qos) request.add_qos(qos);
  if (options.tres.empty()) {
    request.add_tres("cpu");
    request.add_tres("energy");
  } else if (!AllTres(options)) {
    for (const std::string& tres : options.tres) request.add_tres(tres);
  }
  request.set_apply_usage_factor(options.usage_factor);
  return request;
}

void PrintReport(const ReportUsageRequest& request, const ReportUsageResponse& report,
                 const SreportOptions& options, absl::TimeZone zone, std::ostream& out) {
  ReportPrinter(request, report, options, zone, out).Print();
}

}  // namespace priorityd::prioctl
