#include "client/prioctl/sreport/report_table.h"

#include <pwd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/sreport/report_fields.h"
#include "client/prioctl/sreport/report_rows.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ReportUsageRequest;
using ::priority::v1::ReportUsageResponse;

constexpr char kRule[] =
    "--------------------------------------------------------------------------------\n";
constexpr int kTreeWidth = 20;

// Slurm's own TRES, in the order of their numbers.
constexpr const char* kOwnTres[] = {"cpu",     "mem",     "energy", "node",
                                    "billing", "fs/disk", "vmem",   "pages"};

// The TRES to print, in order: of all those a site has, Slurm's own come first.
std::vector<std::string> ShownTres(const ReportUsageResponse& report,
                                   const SreportOptions& options) {
  if (options.tres.empty()) return {"cpu"};
  std::vector<std::string> shown;
  if (!options.all_tres()) {
    for (const std::string& name : options.tres) shown.push_back(absl::AsciiStrToLower(name));
    return shown;
  }
  std::set<std::string> others;
  for (const auto& [name, count] : report.cluster_tres()) others.insert(name);
  for (const auto& row : report.rows()) {
    for (const auto& [name, seconds] : row.tres_seconds()) others.insert(name);
  }
  for (const char* name : kOwnTres) {
    shown.push_back(name);
    others.erase(name);
  }
  shown.insert(shown.end(), others.begin(), others.end());
  return shown;
}

double SecondsOf(const TresSeconds& used, const std::string& tres) {
  const auto found = used.find(tres);
  return found == used.end() ? 0 : found->second;
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
    for (const ReportBucketLines& bucket : Buckets()) {
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
  bool of_cluster() const { return options_.report == SlurmReport::kUtilization; }

  absl::Time start() const { return absl::FromUnixSeconds(request_.start_time().seconds()); }
  absl::Time end() const { return absl::FromUnixSeconds(request_.end_time().seconds()); }

  // A cluster on which nothing ran has a line too.
  std::vector<ReportBucketLines> Buckets() const {
    std::vector<ReportBucketLines> buckets = LinesOf(report_, options_);
    if (buckets.empty() && of_cluster()) buckets = {{start(), end(), {ReportLine()}}};
    return buckets;
  }

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
      case SlurmReport::kUtilization:
        return "Cluster Utilization";
      case SlurmReport::kSizesByAccount:
        break;  // A table of its own.
    }
    return "";
  }

  void PrintTitle() {
    const std::string of = options_.tres.empty() ? "CPU " : "TRES ";
    PrintReportTitle(absl::StrCat(Title(), " ", ReportPeriodText(request_, zone_),
                                  of_cluster() ? "" : ReportLengthText(request_)),
                     absl::StrCat("Usage reported in ", UnitText(of, options_.time_format)), out_);
  }

  void Add(ReportColumn column) { fields_.push_back(FieldOf(column)); }

  void AddNameFields() {
    if (!by_user()) Add(ReportColumn::kAccount);
    if (by_qos()) {
      Add(ReportColumn::kQos);
    } else {
      Add(ReportColumn::kLogin);
      Add(ReportColumn::kProperName);
    }
    if (by_user()) Add(ReportColumn::kAccount);
  }

  void AddUsageFields() {
    if (of_cluster()) {
      Add(ReportColumn::kAllocated);
      Add(ReportColumn::kIdle);
      Add(ReportColumn::kReported);
      return;
    }
    Add(ReportColumn::kUsed);
    if (options_.tres.empty()) Add(ReportColumn::kEnergy);
  }

  // The columns that sreport has for this report; a bucket's start before those.
  void SetFields() {
    fields_ = options_.format;
    if (!fields_.empty()) return;
    if (!options_.buckets.empty()) Add(ReportColumn::kStart);
    Add(ReportColumn::kCluster);
    if (!of_cluster()) AddNameFields();
    if (!options_.tres.empty()) Add(ReportColumn::kTresName);
    AddUsageFields();
    for (ReportField& field : fields_) {
      if (field.grows) field.field.width += PercentWidth(options_.time_format);
      if (field.column != ReportColumn::kAccount || !options_.tree) continue;
      field.field.width = kTreeWidth;
      field.field.left = true;
    }
  }

  SlurmCell Cell(ReportColumn column, const ReportBucketLines& bucket, const ReportLine& line,
                 const std::string& tres) const {
    switch (column) {
      case ReportColumn::kStart:
        return tables::ReportTimeText(bucket.start, zone_);
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
      default:
        return AmountCell(bucket, Seconds(column, bucket, line, tres), tres);
    }
  }

  double Seconds(ReportColumn column, const ReportBucketLines& bucket, const ReportLine& line,
                 const std::string& tres) const {
    const double used = SecondsOf(line.used, column == ReportColumn::kEnergy ? "energy" : tres);
    if (column == ReportColumn::kReported) return All(bucket, tres);
    if (column == ReportColumn::kIdle) return std::max(0.0, All(bucket, tres) - used);
    return used;
  }

  // TRES-seconds that the cluster has in a bucket.
  double All(const ReportBucketLines& bucket, const std::string& tres) const {
    const auto total = report_.cluster_tres().find(tres);
    if (total == report_.cluster_tres().end()) return 0;
    return total->second * absl::ToDoubleSeconds(bucket.end - bucket.start);
  }

  // The room that Slurm gives an amount, by its seconds whatever is shown.
  int WidthOf(double seconds) const {
    return static_cast<int>(absl::StrFormat("%.0f", seconds).size()) +
           PercentWidth(options_.time_format);
  }

  void AddRows(const ReportBucketLines& bucket, const ReportLine& line) {
    for (const std::string& tres : tres_) {
      std::vector<SlurmCell>& row = rows_.emplace_back();
      for (ReportField& field : fields_) {
        row.push_back(Cell(field.column, bucket, line, tres));
        if (!field.grows) continue;
        const double seconds = Seconds(field.column, bucket, line, tres);
        field.field.width = std::max(field.field.width, WidthOf(seconds));
      }
    }
  }

  double Percent(const ReportBucketLines& bucket, double seconds, const std::string& tres) const {
    const double all = All(bucket, tres);
    return all <= 0 ? 0 : 100 * seconds / all;
  }

  SlurmCell AmountCell(const ReportBucketLines& bucket, double seconds,
                       const std::string& tres) const {
    return ReportAmount(seconds, Percent(bucket, seconds, tres), options_);
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

int PercentWidth(const ReportTimeFormat& format) { return format.with_percent ? 9 : 0; }

SlurmCell ReportAmount(double seconds, double percent, const SreportOptions& options) {
  const ReportUnit unit = options.time_format.unit;
  if (unit == ReportUnit::kPercent) {
    return options.full_precision ? SlurmCell(percent)
                                  : SlurmCell(std::string(absl::StrFormat("%.2f%%", percent)));
  }
  const double amount = seconds / (unit == ReportUnit::kMinutes ? 60
                                   : unit == ReportUnit::kHours ? 3600
                                                                : 1);
  if (options.full_precision) return amount;
  if (options.time_format.with_percent) {
    return std::string(absl::StrFormat("%.0f(%.2f%%)", amount, percent));
  }
  return WholeAmount{std::nearbyint(amount)};
}

std::string UnitText(absl::string_view of, const ReportTimeFormat& format) {
  const char* also = format.with_percent ? "/Percentage of Total" : "";
  switch (format.unit) {
    case ReportUnit::kSeconds:
      return absl::StrCat(of, "Seconds", also);
    case ReportUnit::kMinutes:
      return absl::StrCat(of, "Minutes", also);
    case ReportUnit::kHours:
      return absl::StrCat(of, "Hours", also);
    case ReportUnit::kPercent:
      return "Percentage of Total";
  }
  return "";
}

std::string ReportPeriodText(const ReportUsageRequest& request, absl::TimeZone zone) {
  const absl::Time start = absl::FromUnixSeconds(request.start_time().seconds());
  const absl::Time end = absl::FromUnixSeconds(request.end_time().seconds());
  return absl::StrCat(tables::ReportTimeText(start, zone), " - ",
                      tables::ReportTimeText(end - absl::Seconds(1), zone));
}

std::string ReportLengthText(const ReportUsageRequest& request) {
  return absl::StrCat(" (", request.end_time().seconds() - request.start_time().seconds(),
                      " secs)");
}

void PrintReportTitle(absl::string_view title, absl::string_view units, std::ostream& out) {
  out << kRule << title << '\n' << units << '\n' << kRule;
}

void PrintUsage(const ReportUsageRequest& request, const ReportUsageResponse& report,
                const SreportOptions& options, absl::TimeZone zone, std::ostream& out) {
  ReportPrinter(request, report, options, zone, out).Print();
}

}  // namespace priorityd::prioctl
