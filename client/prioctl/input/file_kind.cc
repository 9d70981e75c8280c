#include "client/prioctl/input/file_kind.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::prioctl {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

// The first line that is neither blank nor a comment.
absl::string_view FirstLine(absl::string_view content) {
  absl::ConsumePrefix(&content, kByteOrderMark);
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (!text.empty() && text.front() != '#') return text;
  }
  return "";
}

// Whether a heading of columns divided by `|` has all of these, in any case of letters.
bool HasColumns(const std::vector<absl::string_view>& cells,
                std::initializer_list<absl::string_view> names) {
  return std::all_of(names.begin(), names.end(), [&](absl::string_view name) {
    return std::any_of(cells.begin(), cells.end(), [&](absl::string_view cell) {
      return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(cell), name);
    });
  });
}

FileKind LookAtTable(absl::string_view line) {
  const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
  if (HasColumns(cells, {"RawShares", "RawUsage"})) return FileKind::kShareTable;
  if (HasColumns(cells, {"Name", "UsageFactor"})) return FileKind::kQosTable;
  if (HasColumns(cells, {"JobID", "Start", "End"}) || HasColumns(cells, {"JobIDRaw"})) {
    return FileKind::kSacct;
  }
  if (HasColumns(cells, {"JobID", "Partition", "User"})) return FileKind::kSqueue;
  double usage = 0;
  return cells.size() == 4 && absl::SimpleAtod(cells[3], &usage) ? FileKind::kUsageLines
                                                                 : FileKind::kUnknown;
}

bool BeginsWithOne(absl::string_view line, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (absl::StartsWith(line, absl::StrCat(word, " - '"))) return true;
  }
  return false;
}

bool IsDumpLine(absl::string_view line) {
  return BeginsWithOne(line, {"Cluster", "Parent", "Account", "User", "QOS"});
}

// Amount and Setting lines follow one of these.
bool IsOwnLine(absl::string_view line) {
  return BeginsWithOne(line, {"PriceBook", "Grant", "Transfer", "Lease", "Merge", "Alias"});
}

// `Word=`, as every line of slurm.conf begins.
bool IsConfLine(absl::string_view line) {
  const size_t equals = line.find('=');
  if (equals == absl::string_view::npos || equals == 0) {
    return absl::StartsWithIgnoreCase(line, "include ");
  }
  const absl::string_view word = absl::StripTrailingAsciiWhitespace(line.substr(0, equals));
  return std::all_of(word.begin(), word.end(), absl::ascii_isalpha);
}

const char* CommandFor(FileKind kind) {
  switch (kind) {
    case FileKind::kSlurmConf:
      return "`prioctl import slurm-conf`, `policy apply` and `policy diff` take";
    case FileKind::kSacctmgrDump:
      return "`prioctl import sacctmgr` takes";
    case FileKind::kQosTable:
      return "`prioctl import qos` takes";
    case FileKind::kShareTable:
      return "`prioctl import sshare` takes";
    case FileKind::kUsageLines:
      return "`prioctl import usage` takes";
    case FileKind::kPriorityd:
      return "`prioctl import priorityd` takes";
    case FileKind::kSqueue:
      return "`prioctl import squeue` takes";
    case FileKind::kSacct:
      return "`prioctl import sacct` takes";
    case FileKind::kJson:
      return "`prioctl queue` and `prioctl record` take";
    case FileKind::kUnknown:
      break;
  }
  return "nothing takes";
}

// The value behind `key` and `=` in some line, as slurm.conf has it.
std::string ConfValue(absl::string_view content, absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::StartsWithIgnoreCase(line, key)) continue;
    line = absl::StripLeadingAsciiWhitespace(line.substr(key.size()));
    if (!absl::ConsumePrefix(&line, "=")) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    return std::string(line.substr(0, line.find_first_of(" \t#")));
  }
  return "";
}

std::string DumpCluster(absl::string_view content) {
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    if (!absl::ConsumePrefix(&line, "Cluster - '")) continue;
    return std::string(line.substr(0, line.find('\'')));
  }
  return "";
}

// Of the first row of a table with a column Cluster.
std::string ShareCluster(absl::string_view content) {
  const std::vector<absl::string_view> lines =
      absl::StrSplit(content, '\n', absl::SkipWhitespace());
  if (lines.size() < 2) return "";
  const std::vector<absl::string_view> names = absl::StrSplit(lines[0], '|');
  const std::vector<absl::string_view> cells = absl::StrSplit(lines[1], '|');
  for (size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
    if (absl::EqualsIgnoreCase(names[i], "Cluster")) return std::string(cells[i]);
  }
  return "";
}

}  // namespace

FileKind LookAt(absl::string_view content) {
  const absl::string_view line = FirstLine(content);
  if (line.empty()) return FileKind::kUnknown;
  if (line.front() == '{' || line.front() == '[') return FileKind::kJson;
  if (IsDumpLine(line)) return FileKind::kSacctmgrDump;
  if (IsOwnLine(line)) return FileKind::kPriorityd;
  if (absl::StrContains(line, '|')) return LookAtTable(line);
  return IsConfLine(line) ? FileKind::kSlurmConf : FileKind::kUnknown;
}

std::string KindName(FileKind kind) {
  switch (kind) {
    case FileKind::kSlurmConf:
      return "a slurm.conf";
    case FileKind::kSacctmgrDump:
      return "a sacctmgr dump";
    case FileKind::kQosTable:
      return "a table of sacctmgr -P show qos";
    case FileKind::kShareTable:
      return "a table of sshare -P";
    case FileKind::kUsageLines:
      return "lines of account|user|partition|usage";
    case FileKind::kPriorityd:
      return "a file of price books, grants, leases, merged users and aliases";
    case FileKind::kSqueue:
      return "a table of squeue";
    case FileKind::kSacct:
      return "a table of sacct -P";
    case FileKind::kJson:
      return "JSON";
    case FileKind::kUnknown:
      break;
  }
  return "nothing known";
}

absl::Status CheckKind(absl::string_view name, absl::string_view content, FileKind wanted) {
  const FileKind kind = LookAt(content);
  if (kind == FileKind::kUnknown || kind == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": this looks like ", KindName(kind), ", which ", CommandFor(kind),
                   "; want ", wanted == FileKind::kJson ? "JSON Lines" : KindName(wanted)));
}

std::string ClusterNamed(FileKind kind, absl::string_view content) {
  switch (kind) {
    case FileKind::kSlurmConf:
      return ConfValue(content, "ClusterName");
    case FileKind::kSacctmgrDump:
      return DumpCluster(content);
    case FileKind::kShareTable:
      return ShareCluster(content);
    default:
      return "";
  }
}

absl::Status CheckCluster(absl::string_view file, const std::string& named,
                          const std::string& cluster, const Console& console) {
  if (!console.cluster_from_environment || named.empty() ||
      absl::EqualsIgnoreCase(named, cluster)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(file, " is of cluster ", named, ", but PRIORITYD_CLUSTER is ", cluster,
                   ": type --cluster ", named, " or --cluster ", cluster));
}

}  // namespace priorityd::prioctl
