#include "engine/slurm/dump/qos_words.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/qos_cells.h"
#include "engine/slurm/words/closest_word.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

constexpr uint64_t kMaxQosInteger = std::numeric_limits<uint32_t>::max();
constexpr size_t kLeastOfAbbreviation = 2;

// Checks the value of a word that is stored unchanged.
using Check = absl::Status (*)(absl::string_view text);

absl::Status CheckNothing(absl::string_view) { return absl::OkStatus(); }

absl::Status CheckCount(absl::string_view text) {
  if (ReadInteger(text, kMaxQosInteger).has_value()) return absl::OkStatus();
  return Unexpected(text, "a whole number or -1");
}

absl::Status CheckNumber(absl::string_view text) {
  const std::optional<double> number = ReadDecimal(text);
  if (number.has_value() && *number >= 0) return absl::OkStatus();
  return Unexpected(text, "a number of at least 0 or -1");
}

absl::Status CheckTime(absl::string_view text) { return ParseTimeString(text).status(); }

absl::Status CheckTres(absl::string_view text) { return ParseTresLimits(text).status(); }

absl::Status CheckPreemptMode(absl::string_view text) {
  if (absl::EqualsIgnoreCase(text, "cluster")) return absl::OkStatus();
  return ParsePreemptMode(text).status();
}

struct QosTableWord {
  absl::string_view name;
  QosWordKind kind;
  absl::string_view aliases;  // With blanks between them.
  Check check = nullptr;      // Null: priorityd acts on it, and ReadQosCell reads it.
};

constexpr QosTableWord kQosWords[] = {
    {"Priority", QosWordKind::kPlain, ""},
    {"UsageFactor", QosWordKind::kPlain, ""},
    {"UsageThres", QosWordKind::kPlain, "UsageThreshold"},
    {"Flags", QosWordKind::kNames, ""},
    {"Preempt", QosWordKind::kNames, ""},
    {"GrpTRESMins", QosWordKind::kTres, ""},
    {"GrpWall", QosWordKind::kPlain, ""},
    {"MaxSubmitPU", QosWordKind::kPlain, "MaxSubmitJobsPU MaxSubmitJobsPerUser"},
    {"Description", QosWordKind::kPlain, "Descr", CheckNothing},
    {"GraceTime", QosWordKind::kPlain, "", CheckTime},
    {"GrpJobs", QosWordKind::kPlain, "", CheckCount},
    {"GrpJobsAccrue", QosWordKind::kPlain, "", CheckCount},
    {"GrpSubmit", QosWordKind::kPlain, "GrpSubmitJobs", CheckCount},
    {"GrpTRES", QosWordKind::kTres, "", CheckTres},
    {"GrpTRESRunMins", QosWordKind::kTres, "", CheckTres},
    {"LimitFactor", QosWordKind::kPlain, "", CheckNumber},
    {"MaxJobsAccruePA", QosWordKind::kPlain, "MaxJobsAccruePerAccount", CheckCount},
    {"MaxJobsAccruePU", QosWordKind::kPlain, "MaxJobsAccruePerUser", CheckCount},
    {"MaxJobsPA", QosWordKind::kPlain, "MaxJobsPerAccount", CheckCount},
    {"MaxJobsPU", QosWordKind::kPlain, "MaxJobsPerUser", CheckCount},
    {"MaxSubmitPA", QosWordKind::kPlain, "MaxSubmitJobsPA MaxSubmitJobsPerAccount", CheckCount},
    {"MaxTRES", QosWordKind::kTres, "MaxTRESPJ MaxTRESPerJob", CheckTres},
    {"MaxTRESMins", QosWordKind::kTres, "MaxTRESMinsPJ MaxTRESMinsPerJob", CheckTres},
    {"MaxTRESPA", QosWordKind::kTres, "MaxTRESPerAccount", CheckTres},
    {"MaxTRESPerNode", QosWordKind::kTres, "MaxTRESPN", CheckTres},
    {"MaxTRESPU", QosWordKind::kTres, "MaxTRESPerUser", CheckTres},
    {"MaxTRESRunMinsPA", QosWordKind::kTres, "MaxTRESRunMinsPerAccount", CheckTres},
    {"MaxTRESRunMinsPU", QosWordKind::kTres, "MaxTRESRunMinsPerUser", CheckTres},
    {"MaxWall", QosWordKind::kPlain, "MaxWallPJ MaxWallDurationPerJob", CheckTime},
    {"MinPrioThresh", QosWordKind::kPlain, "MinPrioThreshold", CheckCount},
    {"MinTRES", QosWordKind::kTres, "MinTRESPJ MinTRESPerJob", CheckTres},
    {"PreemptExemptTime", QosWordKind::kPlain, "", CheckTime},
    {"PreemptMode", QosWordKind::kPlain, "", CheckPreemptMode},
};

// The names of a word.
std::vector<absl::string_view> NamesOf(const QosTableWord& word) {
  std::vector<absl::string_view> names = absl::StrSplit(word.aliases, ' ', absl::SkipEmpty());
  names.insert(names.begin(), word.name);
  return names;
}

const QosTableWord* FindExact(absl::string_view typed) {
  for (const QosTableWord& word : kQosWords) {
    for (const absl::string_view name : NamesOf(word)) {
      if (absl::EqualsIgnoreCase(name, typed)) return &word;
    }
  }
  return nullptr;
}

// The words of which it can be an abbreviation.
std::vector<const QosTableWord*> FindAbbreviated(absl::string_view typed) {
  std::vector<const QosTableWord*> found;
  if (typed.size() < kLeastOfAbbreviation) return found;
  for (const QosTableWord& word : kQosWords) {
    const std::vector<absl::string_view> names = NamesOf(word);
    if (std::any_of(names.begin(), names.end(), [typed](absl::string_view name) {
          return absl::StartsWithIgnoreCase(name, typed);
        })) {
      found.push_back(&word);
    }
  }
  return found;
}

std::string JoinNames(absl::Span<const QosTableWord* const> words) {
  return absl::StrJoin(words, ", ", [](std::string* text, const QosTableWord* word) {
    absl::StrAppend(text, word->name);
  });
}

std::string AllNames() {
  std::vector<const QosTableWord*> words;
  for (const QosTableWord& word : kQosWords) words.push_back(&word);
  return JoinNames(words);
}

const QosTableWord& EntryOf(const QosWord& word) { return *FindExact(word.name); }

bool IsCalled(const QosTableWord& word, absl::string_view name) { return FindExact(name) == &word; }

std::string CellActedOn(absl::string_view name, const QosRow& row) {
  if (name == "Priority") return absl::StrCat(row.qos.priority);
  if (name == "UsageFactor") return DecimalText(row.qos.usage_factor);
  if (name == "Flags") return absl::StrJoin(row.flags, ",");
  if (name == "Preempt") return absl::StrJoin(row.qos.preempt, ",");
  if (name == "GrpTRESMins") return TresText(row.grp_tres_mins);
  if (name == "UsageThres" && row.qos.usage_threshold.has_value()) {
    return DecimalText(*row.qos.usage_threshold);
  }
  if (name == "GrpWall" && row.grp_wall.has_value()) return FormatTimeString(*row.grp_wall);
  if (name == "MaxSubmitPU" && row.max_submit_jobs_per_user.has_value()) {
    return absl::StrCat(*row.max_submit_jobs_per_user);
  }
  return "";
}

void Clear(absl::string_view name, QosRow& row) {
  const QosRow none;
  if (name == "Priority") row.qos.priority = none.qos.priority;
  if (name == "UsageFactor") row.qos.usage_factor = none.qos.usage_factor;
  if (name == "UsageThres") row.qos.usage_threshold.reset();
  if (name == "Preempt") row.qos.preempt.clear();
  if (name == "GrpTRESMins") row.grp_tres_mins.clear();
  if (name == "GrpWall") row.grp_wall.reset();
  if (name == "MaxSubmitPU") row.max_submit_jobs_per_user.reset();
  if (name == "Flags") {
    row.flags.clear();
    row.qos.no_decay = row.qos.enforce_usage_threshold = false;
  }
}

constexpr absl::string_view kFlags[] = {
    "DenyOnLimit", "EnforceUsageThreshold", "NoDecay",           "NoReserve",
    "OverPartQOS", "PartitionMaxNodes",     "PartitionMinNodes", "PartitionTimeLimit",
    "Relative",    "RequiresReservation",   "UsageFactorSafe"};

// The flags in Slurm's spelling.
absl::StatusOr<std::string> SpellFlags(absl::string_view text) {
  std::vector<absl::string_view> spelled;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    const auto* flag = std::find_if(
        std::begin(kFlags), std::end(kFlags),
        [word](absl::string_view known) { return absl::EqualsIgnoreCase(known, word); });
    if (flag == std::end(kFlags)) {
      return Unexpected(word, absl::StrCat("one of ", absl::StrJoin(kFlags, ", ")));
    }
    if (std::find(spelled.begin(), spelled.end(), *flag) == spelled.end()) spelled.push_back(*flag);
  }
  return absl::StrJoin(spelled, ",");
}

constexpr absl::string_view kLimitPrefixes[] = {"Grp", "Max", "Min"};

// Columns of Slurm 14.11 and older, which resemble others.
constexpr absl::string_view kOldColumns[] = {"MaxCPUsPU", "MaxCPUsPerUser", "MaxNodesPU",
                                             "MaxNodesPerUser"};
constexpr absl::string_view kInsteadOfOldColumns = "MaxTRESPU";

absl::Status SetWordForWord(const QosTableWord& word, absl::string_view text, QosRow& row) {
  auto& others = row.others;
  const auto is_it = [&](const auto& other) { return IsCalled(word, other.first); };
  others.erase(std::remove_if(others.begin(), others.end(), is_it), others.end());
  if (text.empty()) return absl::OkStatus();
  if (absl::Status s = word.check(text); !s.ok()) return s;
  others.emplace_back(std::string(word.name), std::string(text));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<QosWord> FindQosWord(absl::string_view typed) {
  if (const QosTableWord* word = FindExact(typed)) return QosWord{word->name, word->kind};
  const std::vector<const QosTableWord*> words = FindAbbreviated(typed);
  if (words.size() == 1) return QosWord{words[0]->name, words[0]->kind};
  if (!words.empty()) return Unexpected(typed, absl::StrCat("only one of ", JoinNames(words)));
  return Unexpected(typed, absl::StrCat("one of ", AllNames()));
}

std::string QosCell(const QosWord& word, const QosRow& row) {
  const QosTableWord& entry = EntryOf(word);
  if (entry.check == nullptr) return CellActedOn(entry.name, row);
  for (const auto& [name, value] : row.others) {
    if (IsCalled(entry, name)) return value;
  }
  return "";
}

absl::Status SetQosCell(const QosWord& word, absl::string_view text, QosRow& row) {
  const QosTableWord& entry = EntryOf(word);
  text = absl::StripAsciiWhitespace(text);
  if (entry.check != nullptr) return SetWordForWord(entry, text, row);
  Clear(entry.name, row);
  if (entry.name != "Flags") return ReadQosCell(entry.name, text, row);
  const absl::StatusOr<std::string> flags = SpellFlags(text);
  return flags.ok() ? ReadQosCell(entry.name, *flags, row) : flags.status();
}

absl::Status CheckQosCell(absl::string_view column, absl::string_view text) {
  const absl::StatusOr<QosWord> word = FindQosWord(column);
  if (!word.ok() || text == "-1") return absl::OkStatus();
  const QosTableWord& entry = EntryOf(*word);
  return entry.check == nullptr ? absl::OkStatus() : entry.check(text);
}

std::optional<std::string> MistypedQosWord(absl::string_view column) {
  if (FindExact(column) != nullptr) return std::nullopt;
  const std::vector<const QosTableWord*> abbreviated = FindAbbreviated(column);
  const QosTableWord* only = abbreviated.size() == 1 ? abbreviated[0] : nullptr;
  if (only != nullptr && only->check != nullptr) return std::nullopt;  // It is read as that.
  if (only != nullptr) return std::string(only->name);
  std::vector<std::string> names(std::begin(kOldColumns), std::end(kOldColumns));
  for (const QosTableWord& word : kQosWords) {
    for (const absl::string_view name : NamesOf(word)) names.emplace_back(name);
  }
  std::string closest = ClosestWord(column, names);
  if (absl::c_linear_search(kOldColumns, closest)) closest = std::string(kInsteadOfOldColumns);
  const bool is_limit = absl::c_any_of(kLimitPrefixes, [column](absl::string_view prefix) {
    return absl::StartsWithIgnoreCase(column, prefix);
  });
  if (closest.empty() && !is_limit) return std::nullopt;
  return closest;
}

std::map<std::string, std::string> QosCells(const QosRow& row) {
  std::map<std::string, std::string> cells;
  for (const auto& [name, value] : row.others) {
    const QosTableWord* word = FindExact(name);
    cells[std::string(word == nullptr ? name : word->name)] = value;
  }
  for (const QosTableWord& word : kQosWords) {
    if (word.check != nullptr) continue;
    std::string cell = CellActedOn(word.name, row);
    if (!cell.empty()) cells[std::string(word.name)] = std::move(cell);
  }
  return cells;
}

}  // namespace priorityd::slurm
