#include "engine/slurm/conf/preempt_parameters.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

constexpr Word<bool> kModes[] = {{"OFF", false},     {"CANCEL", true},    {"GANG", true},
                                 {"PRIORITY", true}, {"REQUEUE", true},   {"SUSPEND", true},
                                 {"WITHIN", true},   {"CHECKPOINT", true}};

enum class By { kNone, kQos, kPartition };
constexpr Word<By> kTypes[] = {{"preempt/none", By::kNone},
                               {"preempt/qos", By::kQos},
                               {"preempt/partition_prio", By::kPartition}};

// The words beside the action.
bool IsModifier(absl::string_view word) { return word == "GANG" || word == "WITHIN"; }

constexpr absl::string_view kMinExemptPriority = "min_exempt_priority";

struct Flag {
  absl::string_view name;
  bool priority::Policy::*field;
};
constexpr Flag kFlags[] = {{"reclaim_licenses", &priority::Policy::reclaim_licenses},
                           {"youngest_first", &priority::Policy::youngest_first}};

}  // namespace

std::string SpellPreemptMode(absl::string_view text) {
  std::vector<std::string> words = absl::StrSplit(absl::AsciiStrToUpper(text), ',');
  for (std::string& word : words) absl::StripAsciiWhitespace(&word);
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return IsModifier(a) > IsModifier(b); });
  return absl::StrJoin(words, ",");
}

std::string PreemptModeText(const priority::Partition& partition) {
  if (!partition.preemptible) return "OFF";
  return partition.preempt_mode.empty() ? "REQUEUE" : partition.preempt_mode;
}

absl::StatusOr<bool> ParsePreemptMode(absl::string_view text) {
  bool preemptible = false;
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    bool mode = false;
    word = absl::StripAsciiWhitespace(word);
    if (!ReadWord(word, kModes, mode)) return Unexpected(word, kPreemptModes);
    preemptible = preemptible || mode;
  }
  return preemptible;
}

absl::Status ReadPreemptType(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  By by = By::kNone;
  if (!ReadWord(value, kTypes, by)) return Unexpected(value, want);
  draft.policy.preempt_by_qos = by == By::kQos;
  draft.policy.preempt_by_partition = by == By::kPartition;
  return absl::OkStatus();
}

std::string WritePreemptType(const priority::Policy& policy) {
  const By by = policy.preempt_by_qos         ? By::kQos
                : policy.preempt_by_partition ? By::kPartition
                                              : By::kNone;
  return std::string(WriteWord(by, kTypes));
}

absl::Status ReadPreemptMode(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  const absl::StatusOr<bool> preemptible = ParsePreemptMode(value);
  if (!preemptible.ok()) return preemptible.status();
  draft.policy.preempt_mode = SpellPreemptMode(value);
  return absl::OkStatus();
}

std::string WritePreemptMode(const priority::Policy& policy) { return policy.preempt_mode; }

absl::Status ReadPreemptParameters(absl::string_view value, absl::string_view /*want*/,
                                   PolicyDraft& draft) {
  draft.policy.min_exempt_priority.reset();
  for (const Flag& flag : kFlags) draft.policy.*flag.field = false;
  for (absl::string_view word : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    for (const Flag& flag : kFlags) {
      if (absl::EqualsIgnoreCase(word, flag.name)) draft.policy.*flag.field = true;
    }
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (!absl::EqualsIgnoreCase(sides.first, kMinExemptPriority)) continue;
    uint32_t priority = 0;
    if (!absl::SimpleAtoi(sides.second, &priority)) {
      return Unexpected(word, "min_exempt_priority=NUMBER");
    }
    draft.policy.min_exempt_priority = priority;
  }
  return absl::OkStatus();
}

std::string WritePreemptParameters(const priority::Policy& policy) {
  std::vector<std::string> words;
  if (policy.min_exempt_priority.has_value()) {
    words.push_back(absl::StrCat(kMinExemptPriority, "=", *policy.min_exempt_priority));
  }
  for (const Flag& flag : kFlags) {
    if (policy.*flag.field) words.emplace_back(flag.name);
  }
  return absl::StrJoin(words, ",");
}

absl::Status ReadPreemptExemptTime(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  const absl::StatusOr<absl::Duration> time = ParseTimeString(value);
  if (!time.ok()) return time.status();
  const bool is_off = *time == absl::InfiniteDuration();
  draft.policy.preempt_exempt_time = is_off ? absl::ZeroDuration() : *time;
  return absl::OkStatus();
}

std::string WritePreemptExemptTime(const priority::Policy& policy) {
  return FormatTimeString(policy.preempt_exempt_time);
}

}  // namespace priorityd::slurm
