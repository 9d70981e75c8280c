#include "engine/slurm/dump/dump_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {
namespace {

// As in sacctmgr(1), with the older names in dumps of older versions.
constexpr absl::string_view kAssociationOptions[] = {
    "AdminLevel",
    "Classification",
    "Comment",
    "Coordinator",
    "Coordinators",
    "DefaultAccount",
    "DefaultQOS",
    "DefaultWCKey",
    "Description",
    "Fairshare",
    "Features",
    "Federation",
    "FedState",
    "Flags",
    "GrpCPUMins",
    "GrpCPURunMins",
    "GrpCPUs",
    "GrpJobs",
    "GrpJobsAccrue",
    "GrpMemory",
    "GrpNodes",
    "GrpSubmit",
    "GrpSubmitJobs",
    "GrpTRES",
    "GrpTRESMins",
    "GrpTRESRunMins",
    "GrpWall",
    "MaxCPUMins",
    "MaxCPUMinsPerJob",
    "MaxCPURunMins",
    "MaxCPUs",
    "MaxCPUsPerJob",
    "MaxJobs",
    "MaxJobsAccrue",
    "MaxNodes",
    "MaxNodesPerJob",
    "MaxSubmit",
    "MaxSubmitJobs",
    "MaxTRES",
    "MaxTRESMins",
    "MaxTRESMinsPerJob",
    "MaxTRESPerJob",
    "MaxTRESPerNode",
    "MaxTRESRunMins",
    "MaxWall",
    "MaxWallDurationPerJob",
    "MinPrioThresh",
    "MinPrioThreshold",
    "Organization",
    "Partition",
    "Priority",
    "QOS",
    "Shares",
    "WCKey",
    "WCKeys",
};

constexpr absl::string_view kQosOptions[] = {
    "Description", "Flags",    "GraceTime",   "LimitFactor", "Preempt",        "PreemptExemptTime",
    "PreemptMode", "Priority", "UsageFactor", "UsageThres",  "UsageThreshold",
};

// An option and the length of its shortest abbreviation.
struct LoadOption {
  absl::string_view name;
  size_t least;
};

// In the order in which sacctmgr load tries them.
constexpr LoadOption kLoadOptions[] = {
    {"AdminLevel", 2},
    {"Coordinators", 2},
    {"Classification", 2},
    {"DefaultAccount", 8},
    {"DefaultWCKey", 8},
    {"Description", 3},
    {"Organization", 1},
    {"Partition", 1},
    {"WCKeys", 2},
    {"Comment", 2},
    {"DefaultQOS", 8},
    {"Fairshare", 1},
    {"Shares", 1},
    {"GrpCPUMins", 7},
    {"GrpCPURunMins", 7},
    {"GrpCPUs", 7},
    {"GrpJobs", 4},
    {"GrpJobsAccrue", 8},
    {"GrpMemory", 4},
    {"GrpNodes", 4},
    {"GrpSubmitJobs", 4},
    {"GrpTRES", 7},
    {"GrpTRESMins", 8},
    {"GrpTRESRunMins", 8},
    {"GrpWall", 4},
    {"MaxCPUMinsPerJob", 7},
    {"MaxCPURunMins", 7},
    {"MaxCPUsPerJob", 7},
    {"MaxJobs", 4},
    {"MaxJobsAccrue", 8},
    {"MaxNodesPerJob", 4},
    {"MinPrioThreshold", 4},
    {"MaxSubmitJobs", 4},
    {"MaxTRESPerJob", 7},
    {"MaxTRESPJ", 9},
    {"MaxTRESPerNode", 11},
    {"MaxTRESPN", 9},
    {"MaxTRESMinsPerJob", 8},
    {"MaxTRESMinsPJ", 13},
    {"MaxTRESRunMins", 8},
    {"MaxWallDurationPerJob", 4},
    {"Priority", 2},
    {"QosLevel", 1},
};

template <typename Names>
bool Contains(const Names& names, absl::string_view name) {
  return std::any_of(std::begin(names), std::end(names), [name](absl::string_view known) {
    return absl::EqualsIgnoreCase(known, name);
  });
}

bool IsQuote(char c) { return c == '\'' || c == '"'; }

// Whether `rest` is empty or begins with `:` and an option.
bool BeginsOption(absl::string_view rest) {
  if (rest.empty()) return true;
  if (rest[0] != ':') return false;
  rest.remove_prefix(1);
  const absl::string_view name = rest.substr(0, rest.find('='));
  return name.size() < rest.size() && !FindAssociationOption(name).empty();
}

// Consumes a quoted value at the front of `rest`; false if it is not closed. A quote closes it only
// before a `:` or the end. A backslash before a quote or a backslash is not of the value; but
// sacctmgr dump writes one at the end of a value as it is, so it is of the value where an option
// or nothing follows the quote.
bool TakeQuoted(absl::string_view& rest, std::string& value) {
  const char quote = rest[0];
  for (size_t i = 1; i < rest.size(); ++i) {
    const char next = i + 1 < rest.size() ? rest[i + 1] : ':';
    const bool ends = next == quote && BeginsOption(rest.substr(i + 2));
    if (rest[i] == '\\' && (IsQuote(next) || next == '\\') && !ends) {
      value.push_back(next);
      ++i;
    } else if (rest[i] == quote && next == ':') {
      rest.remove_prefix(i + 1);
      return true;
    } else {
      value.push_back(rest[i]);
    }
  }
  return false;
}

// Consumes a quoted value, or the text before the next `:`.
bool TakeValue(absl::string_view& rest, std::string& value) {
  if (!rest.empty() && IsQuote(rest[0])) return TakeQuoted(rest, value);
  const size_t end = std::min(rest.find(':'), rest.size());
  value = std::string(absl::StripAsciiWhitespace(rest.substr(0, end)));
  rest.remove_prefix(end);
  return true;
}

// Consumes `Kind - 'name'`.
absl::Status TakeHead(absl::string_view& rest, DumpLine& line) {
  const absl::string_view whole = rest;
  const auto kind_end = std::find_if_not(rest.begin(), rest.end(), absl::ascii_isalpha);
  line.kind = std::string(rest.substr(0, kind_end - rest.begin()));
  rest = absl::StripLeadingAsciiWhitespace(rest.substr(line.kind.size()));
  if (line.kind.empty() || rest.empty() || rest[0] != '-') {
    return Unexpected(whole, "Cluster, Parent, Account, User or QOS, then - 'name'");
  }
  rest = absl::StripLeadingAsciiWhitespace(rest.substr(1));
  if (!TakeValue(rest, line.name))
    return Unexpected(rest, "a closing quote before : or the line's end");
  if (line.name.empty()) return Unexpected(whole, absl::StrCat(line.kind, " - 'name'"));
  return absl::OkStatus();
}

// `+=high,low` as `+high,+low`.
absl::Status SignNames(char sign, DumpOption& option) {
  if (FindAssociationOption(option.name) != "QOS") {
    return Unexpected(absl::StrCat(option.name, std::string(1, sign), "="),
                      absl::StrCat(option.name, "=, as only QOS takes += and -="));
  }
  std::vector<std::string> names = absl::StrSplit(option.value, ',', absl::SkipWhitespace());
  for (std::string& name : names) {
    absl::StripAsciiWhitespace(&name);
    name.insert(name.begin(), sign);
  }
  option.value = absl::StrJoin(names, ",");
  return absl::OkStatus();
}

// Consumes an option after its `:`.
absl::Status TakeOption(absl::string_view& rest, DumpOption& option) {
  const size_t equals = rest.find('=');
  if (equals == absl::string_view::npos || equals == 0 || rest.find(':') < equals) {
    return Unexpected(rest, "Option=value");
  }
  const absl::string_view before = absl::StripAsciiWhitespace(rest.substr(0, equals));
  const bool changes = absl::EndsWith(before, "+") || absl::EndsWith(before, "-");
  option.name =
      std::string(absl::StripAsciiWhitespace(before.substr(0, before.size() - (changes ? 1 : 0))));
  rest.remove_prefix(equals + 1);
  if (!TakeValue(rest, option.value)) {
    return absl::InvalidArgumentError(absl::StrCat(option.name, ": got ", Quoted(rest),
                                                   ", want a closing quote before : or the "
                                                   "line's end"));
  }
  return changes ? SignNames(before.back(), option) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<DumpLine> SplitDumpLine(absl::string_view text) {
  DumpLine line;
  absl::string_view rest = absl::StripAsciiWhitespace(text);
  if (absl::Status status = TakeHead(rest, line); !status.ok()) return status;
  absl::flat_hash_set<std::string> seen;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    if (rest.empty() || rest[0] == ':') continue;
    DumpOption option;
    if (absl::Status status = TakeOption(rest, option); !status.ok()) return status;
    if (!seen.insert(absl::AsciiStrToLower(option.name)).second) {
      return Unexpected(option.name, "each option once");
    }
    line.options.push_back(std::move(option));
  }
  return line;
}

std::string DumpQuoted(absl::string_view value) {
  std::string quoted = "'";
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const bool is_quote = c == '\'';
    // As sacctmgr writes each quote: this one would be read as the end of the value.
    const bool ends = is_quote && i + 1 < value.size() && BeginsOption(value.substr(i + 1));
    if ((is_quote && !ends) || c == '\\') quoted.push_back('\\');
    quoted.push_back(ends ? '`' : c == '\n' || c == '\r' || c == '\0' ? ' ' : c);
  }
  quoted.push_back('\'');
  return quoted;
}

absl::string_view FindAssociationOption(absl::string_view typed) {
  for (const absl::string_view name : kAssociationOptions) {
    if (absl::EqualsIgnoreCase(name, typed)) return name;
  }
  for (const LoadOption& option : kLoadOptions) {
    const bool is_long_enough = typed.size() >= option.least;
    if (!is_long_enough || !absl::StartsWithIgnoreCase(option.name, typed)) continue;
    return option.name == "QosLevel" ? "QOS" : option.name;
  }
  return "";
}

bool IsQosOption(absl::string_view name) {
  return Contains(kQosOptions, name) || absl::StartsWithIgnoreCase(name, "Grp") ||
         absl::StartsWithIgnoreCase(name, "Max") || absl::StartsWithIgnoreCase(name, "Min");
}

}  // namespace priorityd::slurm
