#include "client/slurm/joined_shares.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/slurm/tables/pipe_table.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr double kMostUsage = 1e30;

// Account, user, partition.
using Key = std::tuple<std::string, std::string, std::string>;

struct Row {
  std::string cells;  // All cells except the usage, as printed.
  Key key;
  size_t parent = kNone;  // The account above.
  double usage = 0;       // Including its children.
};

std::string Stripped(const slurm::PipeRow& row, int column) {
  return std::string(absl::StripAsciiWhitespace(row.cell(column)));
}

// The rows of one table, accounts before their children.
class SharesReader {
 public:
  SharesReader(const std::string& name, const std::string& text)
      : file_{name, text}, table_(file_, violations_, "sshare -a -l -m -P") {
    cluster_ = table_.RequiredColumn("Cluster");
    account_ = table_.RequiredColumn("Account");
    user_ = table_.RequiredColumn("User");
    partition_ = table_.RequiredColumn("Partition");
    usage_ = table_.RequiredColumn("RawUsage");
  }

  absl::StatusOr<std::vector<Row>> Read() {
    slurm::PipeRow row;
    while (violations_.empty() && table_.Next(row)) Add(row);
    if (violations_.empty() && rows_.empty()) {
      violations_.Add(file_.name, table_.header_line(), "got no row, want that of root");
    }
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(rows_);
  }

 private:
  void Add(const slurm::PipeRow& row) {
    const absl::string_view account = row.cell(account_);
    const size_t depth = std::min(account.find_first_not_of(' '), account.size());
    Row added;
    added.key = {Stripped(row, account_), Stripped(row, user_), Stripped(row, partition_)};
    added.cells = absl::StrCat(row.cell(cluster_), "|", account, "|", row.cell(user_), "|",
                               row.cell(partition_));
    if (depth > above_.size() || (depth == 0) != rows_.empty()) {
      return violations_.Add(file_.name, row.line, "Account: got blanks that fit no row above");
    }
    if (!absl::SimpleAtod(row.cell(usage_), &added.usage) ||
        !(added.usage >= 0 && added.usage <= kMostUsage)) {
      return violations_.Add(file_.name, row.line, "RawUsage: got no number from 0 to 1e30");
    }
    above_.resize(depth);
    if (depth > 0) added.parent = above_.back();
    rows_.push_back(std::move(added));
    if (std::get<1>(rows_.back().key).empty()) above_.push_back(rows_.size() - 1);
  }

  const slurm::SourceFile file_;
  slurm::FileViolations violations_;
  slurm::PipeTableReader table_;
  std::vector<Row> rows_;
  std::vector<size_t> above_;  // Accounts from root down; its size is the depth of the next row.
  int cluster_ = -1;
  int account_ = -1;
  int user_ = -1;
  int partition_ = -1;
  int usage_ = -1;
};

// Each row's usage without its children. RawUsage is truncated to whole numbers, so the result may
// be slightly negative.
std::vector<double> OwnUsage(const std::vector<Row>& rows) {
  std::vector<double> own;
  for (const Row& row : rows) own.push_back(row.usage);
  for (const Row& row : rows) {
    if (row.parent != kNone) own[row.parent] -= row.usage;
  }
  for (double& usage : own) usage = std::max(usage, 0.0);
  return own;
}

// The row of `ours` that a row of another cluster adds to.
size_t PlaceOf(const std::vector<Row>& rows, size_t row, const std::map<Key, size_t>& ours) {
  for (; row != kNone; row = rows[row].parent) {
    const auto found = ours.find(rows[row].key);
    if (found != ours.end()) return found->second;
  }
  return 0;  // Root.
}

}  // namespace

absl::StatusOr<std::string> JoinShares(const std::string& ours,
                                       const std::vector<ClusterShares>& others) {
  absl::StatusOr<std::vector<Row>> rows = SharesReader("sshare", ours).Read();
  if (!rows.ok()) return rows.status();
  std::map<Key, size_t> places;
  for (size_t i = 0; i < rows->size(); ++i) places[(*rows)[i].key] = i;
  std::vector<double> added(rows->size());
  for (const ClusterShares& other : others) {
    const auto theirs =
        SharesReader(absl::StrCat("sshare -M ", other.cluster), other.shares).Read();
    if (!theirs.ok()) return theirs.status();
    const std::vector<double> own = OwnUsage(*theirs);
    for (size_t i = 0; i < own.size(); ++i) {
      added[PlaceOf(*theirs, i, places)] += other.weight * own[i];
    }
  }
  for (size_t i = rows->size(); i-- > 1;) added[(*rows)[i].parent] += added[i];
  std::string text = "Cluster|Account|User|Partition|RawUsage\n";
  for (size_t i = 0; i < rows->size(); ++i) {
    absl::StrAppendFormat(&text, "%s|%.0f\n", (*rows)[i].cells, (*rows)[i].usage + added[i]);
  }
  return text;
}

}  // namespace priorityd::slurm_frontend
