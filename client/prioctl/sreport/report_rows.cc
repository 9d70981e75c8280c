#include "client/prioctl/sreport/report_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ReportUsageResponse;
using ::priority::v1::UsageReportRow;

constexpr char kNoQos[] = "(none)";

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

void Add(const UsageReportRow& row, TresSeconds& used) {
  for (const auto& [name, seconds] : row.tres_seconds()) used[name] += seconds;
}

double Of(const TresSeconds& used, const std::string& tres) {
  const auto found = used.find(tres);
  return found == used.end() ? 0 : found->second;
}

bool ByName(const ReportLine& a, const ReportLine& b) {
  return std::tie(a.account, a.user) < std::tie(b.account, b.user);
}

// The accounts of a report and what one bucket's rows add up to.
class AccountTree {
 public:
  explicit AccountTree(const ReportUsageResponse& report) {
    for (const auto& account : report.accounts()) {
      parent_[account.account()] = account.parent_account();
      children_[account.parent_account()].push_back(account.account());
    }
    for (auto& [parent, children] : children_) std::sort(children.begin(), children.end());
  }

  void Add(const UsageReportRow& row, bool by_qos) {
    std::string account = row.account();
    if (!by_qos && !row.user().empty()) prioctl::Add(row, own_[account][row.user()]);
    // A parent that is not there ends the walk, and so does a circle.
    for (size_t steps = 0; !account.empty() && steps <= parent_.size(); ++steps) {
      prioctl::Add(row, total_[account]);
      if (by_qos) prioctl::Add(row, own_[account][row.qos()]);
      const auto parent = parent_.find(account);
      account = parent == parent_.end() ? "" : parent->second;
    }
  }

  std::vector<ReportLine> Lines(const SreportOptions& options) const {
    std::vector<ReportLine> lines;
    // Depth first, without recursion: the next account is the last one here.
    std::vector<std::pair<std::string, int>> next;
    const auto push_children = [&](const std::string& account, int depth) {
      const auto children = children_.find(account);
      if (children == children_.end()) return;
      for (auto child = children->second.rbegin(); child != children->second.rend(); ++child) {
        next.emplace_back(*child, depth);
      }
    };
    push_children("", 0);
    while (!next.empty()) {
      const auto [account, depth] = next.back();
      next.pop_back();
      if (Listed(options.accounts, account)) AddLines(account, depth, options, lines);
      push_children(account, depth + 1);
    }
    // Only users are there, whose accounts say nothing of the tree.
    if (!options.users.empty()) std::sort(lines.begin(), lines.end(), ByName);
    return lines;
  }

 private:
  void AddLines(const std::string& account, int depth, const SreportOptions& options,
                std::vector<ReportLine>& lines) const {
    const auto total = total_.find(account);
    if (total == total_.end()) return;
    if (options.users.empty()) lines.push_back({account, "", "", depth, total->second});
    const auto own = own_.find(account);
    if (own == own_.end()) return;
    const bool by_qos = options.report == SlurmReport::kAccountUtilizationByQos;
    for (const auto& [name, used] : own->second) {
      // An empty one is the account's total.
      const std::string qos = name.empty() ? kNoQos : name;
      lines.push_back({account, by_qos ? "" : name, by_qos ? qos : "", depth + 1, used});
    }
  }

  std::map<std::string, std::string> parent_;
  std::map<std::string, std::vector<std::string>> children_;
  std::map<std::string, TresSeconds> total_;
  // By account, then user or QOS.
  std::map<std::string, std::map<std::string, TresSeconds>> own_;
};

std::vector<ReportLine> UserLines(const std::vector<const UsageReportRow*>& rows,
                                  const SreportOptions& options) {
  std::map<std::pair<std::string, std::string>, ReportLine> by_user;
  for (const UsageReportRow* row : rows) {
    if (row->user().empty() || !Listed(options.accounts, row->account())) continue;
    ReportLine& line = by_user[{row->user(), options.group ? "" : row->account()}];
    line.user = row->user();
    if (!line.account.empty()) line.account += ", ";
    line.account += row->account();
    Add(*row, line.used);
  }
  const bool by_tres = options.report == SlurmReport::kTopUsage && !options.tres.empty();
  const std::string tres = by_tres && !options.all_tres() ? options.tres.front() : "cpu";
  std::vector<ReportLine> lines;
  for (auto& [key, line] : by_user) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(), [&](const ReportLine& a, const ReportLine& b) {
    return Of(a.used, tres) > Of(b.used, tres);
  });
  if (options.report == SlurmReport::kTopUsage &&
      lines.size() > static_cast<size_t>(options.top_count)) {
    lines.resize(options.top_count);
  }
  return lines;
}

}  // namespace

bool Listed(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<ReportBucketLines> LinesOf(const ReportUsageResponse& report,
                                       const SreportOptions& options) {
  std::map<absl::Time, std::vector<const UsageReportRow*>> buckets;
  for (const UsageReportRow& row : report.rows()) buckets[ToTime(row.start_time())].push_back(&row);
  std::vector<ReportBucketLines> result;
  for (const auto& [start, rows] : buckets) {
    ReportBucketLines& bucket = result.emplace_back();
    bucket.start = start;
    bucket.end = ToTime(rows.front()->end_time());
    if (options.report == SlurmReport::kUserUtilizationByAccount ||
        options.report == SlurmReport::kTopUsage) {
      bucket.lines = UserLines(rows, options);
      continue;
    }
    if (options.report == SlurmReport::kUtilization) {
      ReportLine& all = bucket.lines.emplace_back();
      for (const UsageReportRow* row : rows) Add(*row, all.used);
      continue;
    }
    AccountTree tree(report);
    for (const UsageReportRow* row : rows) {
      tree.Add(*row, options.report == SlurmReport::kAccountUtilizationByQos);
    }
    bucket.lines = tree.Lines(options);
  }
  return result;
}

}  // namespace priorityd::prioctl
