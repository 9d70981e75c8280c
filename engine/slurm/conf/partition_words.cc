#include "engine/slurm/conf/partition_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/conf/partition_lines.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

constexpr PartitionWord kPartitionWords[] = {{"AllowAccounts", true},
                                             {"AllowGroups", true},
                                             {"AllowQos", true},
                                             {"Default"},
                                             {"DefaultTime"},
                                             {"DenyAccounts", true},
                                             {"DenyQos", true},
                                             {"MaxCPUsPerNode"},
                                             {"MaxMemPerNode"},
                                             {"MaxNodes"},
                                             {"MaxTime"},
                                             {"MinNodes"},
                                             {"Nodes"},
                                             {"PreemptMode"},
                                             {"PriorityJobFactor"},
                                             {"PriorityTier"},
                                             {"QOS"},
                                             {"RootOnly"},
                                             {"State"},
                                             {"TRESBillingWeights"}};

constexpr size_t kLeastOfAbbreviation = 3;

std::string JoinNames(const std::vector<PartitionWord>& words) {
  return absl::StrJoin(words, ", ", [](std::string* text, const PartitionWord& word) {
    absl::StrAppend(text, word.name);
  });
}

std::string WeightsText(const priority::TresMap& weights) {
  return absl::StrJoin(weights, ",", [](std::string* text, const auto& weight) {
    absl::StrAppend(text, weight.first, "=", DecimalText(weight.second));
  });
}

std::string CountsText(const priority::TresMap& tres) {
  return absl::StrJoin(tres, ",", [](std::string* text, const auto& count) {
    absl::StrAppend(text, count.first, "=", absl::StrFormat("%.0f", count.second));
  });
}

}  // namespace

absl::StatusOr<PartitionWord> FindPartitionWord(absl::string_view typed) {
  std::vector<PartitionWord> found;
  for (const PartitionWord& word : kPartitionWords) {
    if (absl::EqualsIgnoreCase(word.name, typed)) return word;
    const bool is_short = typed.size() >= kLeastOfAbbreviation;
    if (is_short && absl::StartsWithIgnoreCase(word.name, typed)) found.push_back(word);
  }
  if (found.size() == 1) return found[0];
  if (!found.empty()) return Unexpected(typed, absl::StrCat("only one of ", JoinNames(found)));
  const std::vector<PartitionWord> all(std::begin(kPartitionWords), std::end(kPartitionWords));
  return Unexpected(typed, absl::StrCat("one of ", JoinNames(all)));
}

std::map<std::string, std::string> PartitionCells(const priority::Partition& partition) {
  std::map<std::string, std::string> cells;
  const auto set = [&](const char* word, std::string text) {
    if (!text.empty()) cells[word] = std::move(text);
  };
  set("AllowAccounts", absl::StrJoin(partition.allow_accounts, ","));
  set("AllowGroups", absl::StrJoin(partition.allow_groups, ","));
  set("AllowQos", absl::StrJoin(partition.allow_qos, ","));
  set("Default", partition.is_default ? "YES" : "NO");
  if (partition.default_time.has_value()) {
    set("DefaultTime", FormatTimeString(*partition.default_time));
  }
  set("DenyAccounts", absl::StrJoin(partition.deny_accounts, ","));
  set("DenyQos", absl::StrJoin(partition.deny_qos, ","));
  if (partition.max_cpus_per_node.has_value()) {
    set("MaxCPUsPerNode", absl::StrCat(*partition.max_cpus_per_node));
  }
  if (partition.max_mem_per_node.has_value()) {
    set("MaxMemPerNode", absl::StrFormat("%.0f", *partition.max_mem_per_node));
  }
  if (partition.max_nodes.has_value()) set("MaxNodes", absl::StrCat(*partition.max_nodes));
  set("MaxTime", FormatTimeString(partition.max_time));
  set("MinNodes", absl::StrCat(partition.min_nodes));
  set("PreemptMode", PreemptModeText(partition));
  set("PriorityJobFactor", absl::StrCat(partition.priority_job_factor));
  set("PriorityTier", absl::StrCat(partition.priority_tier));
  set("QOS", partition.qos);
  if (partition.root_only) set("RootOnly", "YES");
  set("State", std::string(PartitionState(partition)));
  set("TRESBillingWeights", WeightsText(partition.billing_weights));
  return cells;
}

std::map<std::string, std::string> NodeCells(const priority::Partition& partition) {
  std::map<std::string, std::string> cells;
  cells["TotalNodes"] = absl::StrFormat("%.0f", partition.nodes);
  const auto cpus = partition.tres.find("cpu");
  if (cpus != partition.tres.end()) cells["TotalCPUs"] = absl::StrFormat("%.0f", cpus->second);
  if (!partition.tres.empty()) cells["TRES"] = CountsText(partition.tres);
  return cells;
}

absl::StatusOr<ReadPartitionResult> ReadPartition(const std::string& name,
                                                  const std::map<std::string, std::string>& cells) {
  const SourceFile nowhere{"settings", ""};
  const ConfPlace place{&nowhere, 1};
  ConfLine line;
  line.place = place;
  line.pairs.push_back({"PartitionName", name, place});
  for (const auto& [word, text] : cells) line.pairs.push_back({word, text, place});
  FileViolations violations;
  ReadPartitionResult result;
  PartitionLines lines(violations, result.warnings);
  lines.Read(line);
  NodeLines nodes(violations, result.warnings);
  std::vector<std::string> on_all_nodes;
  std::vector<priority::Partition> partitions =
      lines.Finish(nodes, /*preempt_mode=*/"OFF", on_all_nodes);
  if (!violations.empty()) return violations.ToStatus();
  result.partition = std::move(partitions.front());
  return result;
}

}  // namespace priorityd::slurm
