#include "client/prioctl/sreport/job_sizes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/sreport/report_rows.h"
#include "client/prioctl/sreport/report_table.h"
#include "client/prioctl/text/slurm_table.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ReportUsageRequest;
using ::priority::v1::ReportUsageResponse;
using ::priority::v1::UsageReportRow;

constexpr int kSizeWidth = 13;
constexpr int kSizePercentWidth = 7;

// Under which account another one's jobs are counted.
class Heads {
 public:
  Heads(const ReportUsageResponse& report, const SreportOptions& options)
      : flat_(options.flat_view), below_root_(options.accounts_as_parents) {
    for (const auto& account : report.accounts()) {
      parents_[account.account()] = account.parent_account();
    }
  }

  std::string Of(const std::string& account) const {
    if (flat_) return account;
    std::string head = account;
    // A circle ends the walk.
    for (size_t steps = 0; steps <= parents_.size(); ++steps) {
      const std::string above = ParentOf(head);
      if (above.empty() || (below_root_ && ParentOf(above).empty())) return head;
      head = above;
    }
    return head;
  }

 private:
  std::string ParentOf(const std::string& account) const {
    const auto parent = parents_.find(account);
    return parent == parents_.end() ? "" : parent->second;
  }

  const bool flat_;
  const bool below_root_;
  std::map<std::string, std::string> parents_;
};

void Count(const UsageReportRow& row, const std::string& tres, const SreportOptions& options,
           AccountSizes& into) {
  const auto used = row.tres_seconds().find(tres);
  const double seconds = used == row.tres_seconds().end() ? 0 : used->second;
  const auto cpu = row.tres_seconds().find("cpu");
  const double size = row.wall_seconds() > 0 && cpu != row.tres_seconds().end()
                          ? cpu->second / row.wall_seconds()
                          : 0;
  const auto place = std::upper_bound(options.sizes.begin(), options.sizes.end(), size);
  SizedUsage& sized = into.sizes[place - options.sizes.begin()];
  sized.tres_seconds += seconds;
  ++sized.jobs;
}

// `0-49 CPUs`, `>= 1000 CPUs`.
std::vector<std::string> SizeHeadings(const SreportOptions& options) {
  const char* unit = options.tres.empty() ? "CPUs" : "TRES";
  std::vector<std::string> headings;
  uint64_t from = 0;
  for (const uint64_t size : options.sizes) {
    headings.push_back(absl::StrCat(from, "-", size - 1, " ", unit));
    from = size;
  }
  headings.push_back(absl::StrCat(">= ", from, " ", unit));
  return headings;
}

// By Slurm's names and widths.
std::vector<SlurmField> Columns(const SreportOptions& options) {
  std::vector<SlurmField> columns = {{"Cluster", 9}, {"Account", 9}};
  const int width = kSizeWidth + (options.time_format.with_percent ? kSizePercentWidth : 0);
  for (const std::string& heading : SizeHeadings(options)) columns.push_back({heading, width});
  columns.push_back({"% of cluster", 12});
  return columns;
}

std::string Units(const SreportOptions& options) {
  const std::string units = options.print_job_count
                                ? "Units are in number of jobs ran"
                                : "Time reported in " + UnitText("", options.time_format);
  return options.tres.empty() ? units
                              : absl::StrCat("TRES type is ", SizedTres(options), "\n", units);
}

double Total(const AccountSizes& account) {
  double total = 0;
  for (const SizedUsage& sized : account.sizes) total += sized.tres_seconds;
  return total;
}
double Total(const std::vector<AccountSizes>& accounts) {
  double total = 0;
  for (const AccountSizes& account : accounts) total += Total(account);
  return total;
}

std::vector<SlurmCell> Row(const std::string& cluster, const AccountSizes& account, double all,
                           const SreportOptions& options) {
  const auto percent = [all](double part) { return all > 0 ? 100 * part / all : 0; };
  std::vector<SlurmCell> row = {cluster, account.account};
  for (const SizedUsage& sized : account.sizes) {
    row.push_back(options.print_job_count
                      ? SlurmCell(sized.jobs)
                      : ReportAmount(sized.tres_seconds, percent(sized.tres_seconds), options));
  }
  row.emplace_back(absl::StrFormat("%.2f%%", percent(Total(account))));
  return row;
}

}  // namespace

std::string SizedTres(const SreportOptions& options) {
  return options.tres.empty() ? "cpu" : absl::AsciiStrToLower(options.tres.front());
}

std::vector<AccountSizes> SizesOf(const ReportUsageResponse& report,
                                  const SreportOptions& options) {
  const Heads heads(report, options);
  const std::string tres = SizedTres(options);
  std::map<std::string, AccountSizes> by_account;
  for (const UsageReportRow& row : report.rows()) {
    if (!Listed(options.accounts, row.account())) continue;
    const std::string head = heads.Of(row.account());
    AccountSizes& sizes = by_account[head];
    sizes.account = head;
    sizes.sizes.resize(options.sizes.size() + 1);
    Count(row, tres, options, sizes);
  }
  std::vector<AccountSizes> result;
  for (auto& [account, sizes] : by_account) result.push_back(std::move(sizes));
  return result;
}

void PrintJobSizes(const ReportUsageRequest& request, const ReportUsageResponse& report,
                   const SreportOptions& options, absl::TimeZone zone, std::ostream& out) {
  const std::vector<AccountSizes> accounts = SizesOf(report, options);
  if (options.header) {
    PrintReportTitle(
        absl::StrCat("Job Sizes ", ReportPeriodText(request, zone), ReportLengthText(request)),
        Units(options), out);
  }
  SlurmTable table(Columns(options), options.layout, options.full_precision, &out);
  if (options.header) table.PrintHeader();
  const double all = Total(accounts);
  for (const AccountSizes& account : accounts) {
    table.PrintRow(Row(report.cluster(), account, all, options));
  }
}

}  // namespace priorityd::prioctl
