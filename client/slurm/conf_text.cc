#include "client/slurm/conf_text.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr absl::string_view kParameters[] = {
    "ClusterName",
    "Licenses",
    "AccountingStorageEnforce",
    "AccountingStorageTRES",
    "FairShareDampeningFactor",
    "JobRequeue",
    "PreemptExemptTime",
    "PreemptMode",
    "PreemptParameters",
    "PreemptType",
    "PriorityCalcPeriod",
    "PriorityDecayHalfLife",
    "PriorityFavorSmall",
    "PriorityFlags",
    "PriorityMaxAge",
    "PriorityType",
    "PriorityUsageResetPeriod",
    "PriorityWeightAge",
    "PriorityWeightAssoc",
    "PriorityWeightFairShare",
    "PriorityWeightJobSize",
    "PriorityWeightPartition",
    "PriorityWeightQOS",
    "PriorityWeightTRES",
    "PrivateData",
    "SchedulerParameters",
    "SchedulerType",
};

// The parameters of scontrol that slurm.conf has too.
constexpr absl::string_view kPartitionWords[] = {
    "AllowAccounts", "DenyAccounts",      "AllowQos", "DenyQos",           "Default",
    "DefaultTime",   "MaxNodes",          "MaxTime",  "MinNodes",          "Nodes",
    "PreemptMode",   "PreemptParameters", "QOS",      "PriorityJobFactor", "PriorityTier",
    "State",         "TRESBillingWeights"};

using Words = std::map<std::string, std::string>;

// `NAME=VALUE` by name in lower case; the first of a repeated name counts, because the text of a
// reason after it may contain anything.
Words WordsOf(absl::string_view line) {
  Words words;
  for (const absl::string_view word : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    words.emplace(absl::AsciiStrToLower(parts.first), parts.second);
  }
  return words;
}

std::string ValueOf(const Words& words, absl::string_view name) {
  const auto found = words.find(absl::AsciiStrToLower(name));
  if (found == words.end() || found->second == "(null)" || found->second == "N/A") return "";
  return found->second;
}

// `gpu:a100:2(S:0-1)` without the parentheses.
std::string WithoutBrackets(absl::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) out.push_back(c);
    if (c == ')') --depth;
  }
  return out;
}

std::string PolicyLines(const std::string& config, const std::vector<std::string>& policy_lines) {
  std::string text;
  for (const absl::string_view name : kParameters) {
    const std::string value = ConfigValue(config, std::string(name));
    bool is_set_later = false;
    for (const std::string& line : policy_lines) {
      is_set_later |= absl::StartsWithIgnoreCase(line, absl::StrCat(name, "="));
    }
    if (!value.empty() && !is_set_later) absl::StrAppend(&text, name, "=", value, "\n");
  }
  for (const std::string& line : policy_lines) absl::StrAppend(&text, line, "\n");
  return text;
}

std::string NodeLines(const std::string& nodes) {
  std::map<std::string, std::vector<std::string>> names;  // by their properties
  for (const absl::string_view line : absl::StrSplit(nodes, '\n', absl::SkipWhitespace())) {
    const Words words = WordsOf(line);
    const std::string gres = WithoutBrackets(ValueOf(words, "Gres"));
    names[absl::StrCat(" CPUs=", ValueOf(words, "CPUTot"), " RealMemory=",
                       ValueOf(words, "RealMemory"), gres.empty() ? "" : " Gres=", gres)]
        .push_back(ValueOf(words, "NodeName"));
  }
  std::string text;
  for (const auto& [made_of, of_these] : names) {
    absl::StrAppend(&text, "NodeName=", absl::StrJoin(of_these, ","), made_of, "\n");
  }
  return text;
}

std::string PartitionLines(const std::string& partitions) {
  std::string text;
  for (const absl::string_view line : absl::StrSplit(partitions, '\n', absl::SkipWhitespace())) {
    const Words words = WordsOf(line);
    absl::StrAppend(&text, "PartitionName=", ValueOf(words, "PartitionName"));
    for (const absl::string_view name : kPartitionWords) {
      const std::string value = ValueOf(words, name);
      if (!value.empty()) absl::StrAppend(&text, " ", name, "=", value);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace

std::string ConfText(const SiteTexts& texts, const std::vector<std::string>& policy_lines) {
  return absl::StrCat(PolicyLines(texts.config, policy_lines), NodeLines(texts.nodes),
                      PartitionLines(texts.partitions));
}

}  // namespace priorityd::slurm_frontend
