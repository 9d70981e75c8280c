#include "engine/slurm/dump/sacctmgr_dump.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/dump/dump_options.h"
#include "engine/slurm/dump/qos_cells.h"
#include "engine/slurm/words/line_reader.h"
#include "engine/slurm/words/name.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kRoot = "root";

using QosList = std::optional<std::vector<std::string>>;

bool IsChange(absl::string_view name) {
  return absl::StartsWith(name, "+") || absl::StartsWith(name, "-");
}

// Applies the +name and -name of `names` to `inherited`.
std::vector<std::string> ApplyChanges(const std::vector<std::string>& names,
                                      const std::vector<std::string>& inherited) {
  std::vector<std::string> result = inherited;
  for (absl::string_view name : names) {
    const std::string plain(IsChange(name) ? name.substr(1) : name);
    result.erase(std::remove(result.begin(), result.end(), plain), result.end());
    if (!absl::StartsWith(name, "-")) result.push_back(plain);
  }
  return result;
}

class DumpReader {
 public:
  explicit DumpReader(const SourceFile& file) : file_(file) {
    dump_.root.association.account = std::string(kRoot);
    accounts_.emplace(kRoot, Account{});
  }

  absl::StatusOr<SacctmgrDump> Read() {
    LineReader lines(file_, violations_);
    TextLine text;
    while (lines.Next(text)) {
      const absl::string_view trimmed = absl::StripAsciiWhitespace(text.text);
      if (trimmed.empty() || trimmed[0] == '#') continue;
      line_ = text.number;
      const absl::StatusOr<DumpLine> line = SplitDumpLine(trimmed);
      if (line.ok()) {
        Use(*line);
      } else {
        Error(line.status().message());
      }
    }
    if (!violations_.empty()) return violations_.ToStatus();
    ListLackingDefaults();
    WarnOfCase();
    LimitWarnings(dump_.warnings);
    LimitWarnings(dump_.losses);
    return std::move(dump_);
  }

 private:
  // An account created by a line.
  struct Account {
    int line = 0;
    QosList qos;    // Its own or what it inherits.
    int depth = 0;  // Root is 0.
  };

  void Error(absl::string_view message) { violations_.Add(file_.name, line_, message); }

  void Use(const DumpLine& line) {
    if (absl::Status name = CheckName(line.name); !name.ok()) {
      Error(absl::StrCat(line.kind, ": ", name.message()));
    }
    if (absl::EqualsIgnoreCase(line.kind, "Cluster")) return UseCluster(line);
    if (absl::EqualsIgnoreCase(line.kind, "Parent")) return UseParent(line);
    const bool is_account = absl::EqualsIgnoreCase(line.kind, "Account") ||
                            absl::EqualsIgnoreCase(line.kind, "Project");
    if (is_account) return UseAccount(line);
    if (absl::EqualsIgnoreCase(line.kind, "User")) return UseUser(line);
    if (absl::EqualsIgnoreCase(line.kind, "QOS")) return UseQos(line);
    Error(absl::StrCat("got ", Quoted(line.kind), ", want Cluster, Parent, Account, User or QOS"));
  }

  void ReadOptions(const DumpLine& line, DumpLineKind kind, DumpAssociation& association) {
    for (const DumpOption& option : line.options) {
      const absl::Status status = ReadDumpOption(option, kind, association);
      if (!status.ok()) Error(absl::StrCat(option.name, ": ", status.message()));
    }
  }

  // Applies +name and -name to the list of the parent.
  void ResolveQos(const QosList& inherited, QosList& qos) {
    if (!qos.has_value() || std::none_of(qos->begin(), qos->end(), IsChange)) return;
    if (!inherited.has_value()) {
      dump_.warnings.push_back(absl::StrCat(PlaceText(file_.name, line_),
                                            ": QOS: got changes (+ or -), and no account above has "
                                            "a list: they change an empty list"));
    }
    qos = ApplyChanges(*qos, inherited.value_or(std::vector<std::string>()));
  }

  void UseCluster(const DumpLine& line) {
    if (!dump_.cluster.empty()) {
      return Error(
          absl::StrCat("Cluster: got ", Quoted(line.name), ", want only one Cluster line"));
    }
    dump_.cluster = line.name;
    ReadOptions(line, DumpLineKind::kCluster, dump_.root);
    ResolveQos(std::nullopt, dump_.root.association.qos);
    accounts_[kRoot] = {line_, dump_.root.association.qos};
  }

  void UseParent(const DumpLine& line) {
    parent_ = line.name;
    if (!line.options.empty()) Error("Parent: got options, want only - 'name'");
    if (!accounts_.contains(parent_)) {
      Error(absl::StrCat("Parent: got ", Quoted(line.name),
                         ", want root or an account of a line before"));
    }
  }

  // The list that the current parent passes on; nullopt if there is no such account.
  QosList InheritedQos() const {
    const auto parent = accounts_.find(parent_);
    return parent == accounts_.end() ? QosList() : parent->second.qos;
  }

  // It exists already, as the Cluster line.
  void UseRoot(const DumpLine& line) {
    const QosList before = dump_.root.association.qos;
    ReadOptions(line, DumpLineKind::kCluster, dump_.root);
    if (dump_.root.association.qos != before) ResolveQos(before, dump_.root.association.qos);
    accounts_[kRoot].qos = dump_.root.association.qos;
  }

  int DepthOfParent() const {
    const auto parent = accounts_.find(parent_);
    return parent == accounts_.end() ? 0 : parent->second.depth;
  }

  void UseAccount(const DumpLine& line) {
    if (line.name == kRoot) return UseRoot(line);
    DumpAssociation account;
    account.association.account = line.name;
    account.parent_account = parent_;
    ReadOptions(line, DumpLineKind::kAccount, account);
    const QosList inherited = InheritedQos();
    QosList& qos = account.association.qos;
    ResolveQos(inherited, qos);
    const int depth = DepthOfParent() + 1;
    // One error for all accounts below it.
    if (depth == kMaxAccountDepth + 1) {
      Error(absl::StrCat("Account: got ", Quoted(line.name), " below ", kMaxAccountDepth,
                         " others, want at most ", kMaxAccountDepth, " from root down"));
    }
    const auto [first, is_new] =
        accounts_.emplace(line.name, Account{line_, qos.has_value() ? qos : inherited, depth});
    if (!is_new) {
      Error(absl::StrCat("Account: got ", Quoted(line.name), " again, want it only at line ",
                         first->second.line));
    }
    dump_.associations.push_back(std::move(account));
  }

  void UseUser(const DumpLine& line) {
    DumpAssociation user;
    user.association.account = parent_;
    user.association.user = line.name;
    user.parent_account = parent_;
    ReadOptions(line, DumpLineKind::kUser, user);
    ResolveQos(InheritedQos(), user.association.qos);
    const auto [first, is_new] =
        users_.emplace(std::tuple(parent_, line.name, user.association.partition), line_);
    if (!is_new) {
      Error(absl::StrCat("User: got ", Quoted(line.name), " in account ", Quoted(parent_),
                         " again, want it only at line ", first->second));
    }
    dump_.associations.push_back(std::move(user));
  }

  void UseQos(const DumpLine& line) {
    QosRow row;
    row.qos.name = line.name;
    for (const DumpOption& option : line.options) {
      const std::string column = QosColumnName(option.name);
      const absl::Status status =
          IsQosOption(option.name) ? ReadQosCell(column, option.value, row)
                                   : absl::InvalidArgumentError("got an unknown option of a QOS");
      if (!status.ok()) Error(absl::StrCat(option.name, ": ", status.message()));
    }
    if (!qos_.insert(line.name).second) {
      Error(absl::StrCat("QOS: got ", Quoted(line.name), " again, want it only once"));
    }
    for (std::string& loss : TakeFlagLosses(PlaceText(file_.name, line_), row)) {
      dump_.losses.push_back(std::move(loss));
    }
    for (std::string& loss : TakeColumnLosses(PlaceText(file_.name, line_), row)) {
      dump_.losses.push_back(std::move(loss));
    }
    dump_.qos.push_back(std::move(row));
  }

  void ListLackingDefaults() {
    absl::flat_hash_set<std::pair<std::string, std::string>> memberships;
    for (const auto& [key, line] : users_) memberships.emplace(std::get<1>(key), std::get<0>(key));
    for (const auto& [user, account] : DefaultAccounts(dump_)) {
      if (memberships.contains(std::pair(user, account))) continue;
      dump_.lacking_defaults.push_back(
          {.user = user,
           .account = account,
           .warning = absl::StrCat(file_.name, ": user ", user, " has DefaultAccount ", account,
                                   ", but no association there")});
    }
  }

  // priorityd and most directories treat them as two users, some directories as one.
  void WarnOfCase() {
    absl::btree_set<std::string> users;
    for (const auto& [key, line] : users_) users.insert(std::get<1>(key));
    absl::flat_hash_map<std::string, std::string> by_lower_case;
    for (const std::string& user : users) {
      const auto [other, is_first] = by_lower_case.emplace(absl::AsciiStrToLower(user), user);
      if (is_first) continue;
      dump_.warnings.push_back(absl::StrCat(file_.name, ": users ", other->second, " and ", user,
                                            " differ in case only, and are two users"));
    }
  }

  const SourceFile& file_;
  SacctmgrDump dump_;
  FileViolations violations_;
  int line_ = 0;
  std::string parent_ = std::string(kRoot);
  absl::flat_hash_map<std::string, Account> accounts_;
  // Line by account, user, partition.
  absl::flat_hash_map<std::tuple<std::string, std::string, std::string>, int> users_;
  absl::flat_hash_set<std::string> qos_;
};

}  // namespace

absl::StatusOr<SacctmgrDump> ParseSacctmgrDump(const SourceFile& file) {
  return DumpReader(file).Read();
}

absl::btree_map<std::string, std::string> DefaultAccounts(const SacctmgrDump& dump) {
  absl::btree_map<std::string, std::string> accounts;
  for (const DumpAssociation& line : dump.associations) {
    if (!line.default_account.empty()) accounts[line.association.user] = line.default_account;
  }
  return accounts;
}

}  // namespace priorityd::slurm
