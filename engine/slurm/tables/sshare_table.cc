#include "engine/slurm/tables/sshare_table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/tables/pipe_table.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

// The part by which an account may have less than its children because of rounding.
constexpr double kRelativeRounding = 1e-9;

class SshareReader {
 public:
  explicit SshareReader(const SourceFile& file)
      : file_(file), reader_(file, violations_, "sshare -a -l -P") {}

  absl::StatusOr<SshareTable> Read() {
    FindColumns();
    if (!violations_.empty()) return violations_.ToStatus();
    PipeRow row;
    while (reader_.Next(row)) UseRow(row);
    CloseTo(0);
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(table_);
  }

 private:
  // An account whose rows below are being read.
  struct Account {
    size_t row = 0;  // In the table.
    double below = 0;
    int children = 0;
  };

  void FindColumns() {
    account_ = reader_.RequiredColumn("Account");
    user_ = reader_.RequiredColumn("User");
    raw_usage_ = reader_.RequiredColumn("RawUsage");
    cluster_ = reader_.ColumnIndex({"Cluster"});
    partition_ = reader_.ColumnIndex({"Partition"});
    table_.has_partition_column = partition_ >= 0;
    table_.cluster = std::string(reader_.cluster_line());
  }

  void Error(int line, absl::string_view message) { violations_.Add(file_.name, line, message); }

  void UseRow(const PipeRow& row) {
    const absl::string_view account = row.cell(account_);
    const absl::string_view name = absl::StripAsciiWhitespace(account);
    if (name.empty()) return Error(row.line, "Account: got \"\", want a name");
    const size_t depth = account.find_first_not_of(' ');
    if (depth > open_.size()) {
      return Error(row.line,
                   absl::StrCat("Account: got ", depth, " blanks before ", Quoted(name),
                                ", want at most ", open_.size(), ", one more than its parent has"));
    }
    const absl::string_view text = absl::StripAsciiWhitespace(row.cell(raw_usage_));
    const std::optional<double> usage = ReadDecimal(text);
    if (!usage.has_value() || *usage < 0 || *usage > kMaxOpeningUsage) {
      return Error(row.line,
                   absl::StrCat("RawUsage: got ", Quoted(text), ", want a number from 0 to 1e30"));
    }
    ReadCluster(row);
    CloseTo(depth);
    Add({std::string(name), std::string(absl::StripAsciiWhitespace(row.cell(user_))),
         std::string(absl::StripAsciiWhitespace(row.cell(partition_))), *usage, row.line});
  }

  void ReadCluster(const PipeRow& row) {
    const absl::string_view cluster = absl::StripAsciiWhitespace(row.cell(cluster_));
    if (cluster.empty()) return;
    if (table_.cluster.empty()) table_.cluster = std::string(cluster);
    if (cluster != table_.cluster) {
      Error(row.line,
            absl::StrCat("Cluster: got ", Quoted(cluster), ", want only ", Quoted(table_.cluster)));
    }
  }

  void Add(OpeningUsage usage) {
    if (!open_.empty()) {
      open_.back().below += usage.usage;
      ++open_.back().children;
    }
    table_.usage.push_back(std::move(usage));
    if (table_.usage.back().user.empty()) open_.push_back({table_.usage.size() - 1});
  }

  // Closes the accounts from `depth` on: they have no more rows.
  void CloseTo(size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) {
      const Account& account = open_.back();
      OpeningUsage& usage = table_.usage[account.row];
      const double own = usage.usage - account.below;
      if (own < -account.children - kRelativeRounding * account.below) {
        Error(usage.line, absl::StrCat("RawUsage: got ", DecimalText(usage.usage),
                                       ", want at least ", DecimalText(account.below),
                                       ", the sum of the rows below ", Quoted(usage.account)));
      }
      usage.usage = own > 0 ? own : 0;
    }
  }

  const SourceFile& file_;
  FileViolations violations_;
  PipeTableReader reader_;
  SshareTable table_;
  std::vector<Account> open_;  // From the root down; its size is the next depth.
  int account_ = -1;
  int user_ = -1;
  int raw_usage_ = -1;
  int cluster_ = -1;
  int partition_ = -1;
};

}  // namespace

absl::StatusOr<SshareTable> ParseSshareTable(const SourceFile& file) {
  return SshareReader(file).Read();
}

}  // namespace priorityd::slurm
