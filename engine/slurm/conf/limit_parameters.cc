#include "engine/slurm/conf/limit_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
#include "absl/strings/strip.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

using priority::Enforcement;
using priority::PartLimits;

// A word of AccountingStorageEnforce, and what it turns on.
struct EnforceWord {
  absl::string_view name;
  bool associations;
  bool limits;
  bool qos;
  bool safe;
};
constexpr EnforceWord kEnforceWords[] = {
    {"none", false, false, false, false},    {"associations", true, false, false, false},
    {"limits", true, true, false, false},    {"qos", true, false, true, false},
    {"safe", true, true, false, true},       {"all", true, true, true, true},
    {"wckeys", true, false, false, false},   {"nojobs", false, false, false, false},
    {"nosteps", false, false, false, false}, {"1", true, false, false, false},
    {"2", true, true, false, false}};

constexpr Word<PartLimits> kPartLimits[] = {{"NO", PartLimits::kNo},    {"ANY", PartLimits::kAny},
                                            {"ALL", PartLimits::kAll},  {"YES", PartLimits::kAny},
                                            {"UP", PartLimits::kAny},   {"TRUE", PartLimits::kAny},
                                            {"1", PartLimits::kAny},    {"DOWN", PartLimits::kNo},
                                            {"FALSE", PartLimits::kNo}, {"0", PartLimits::kNo}};

}  // namespace

std::optional<double> ReadMegabytes(absl::string_view value) {
  constexpr uint64_t kMost = 4'294'967'294;
  const bool unlimited = value == "-1" || absl::EqualsIgnoreCase(value, "UNLIMITED") ||
                         absl::EqualsIgnoreCase(value, "INFINITE");
  if (unlimited) return 0;
  const std::optional<uint64_t> megabytes = ReadConfInteger(value, kMost);
  if (!megabytes.has_value()) return std::nullopt;
  return static_cast<double>(*megabytes);
}

absl::Status ReadEnforcement(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  Enforcement read = {.given = true, .limits = false, .safe = false};
  if (value.empty()) read = Enforcement();
  for (absl::string_view text : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    text = absl::StripAsciiWhitespace(text);
    const auto* word = absl::c_find_if(kEnforceWords, [text](const EnforceWord& known) {
      return absl::EqualsIgnoreCase(known.name, text);
    });
    if (word == std::end(kEnforceWords)) return Unexpected(text, want);
    read.associations |= word->associations;
    read.limits |= word->limits;
    read.qos |= word->qos;
    read.safe |= word->safe;
  }
  draft.policy.enforce = read;
  return absl::OkStatus();
}

std::string WriteEnforcement(const priority::Policy& policy) {
  const Enforcement& enforce = policy.enforce;
  if (!enforce.given) return "";
  std::vector<absl::string_view> words;
  if (enforce.associations) words.push_back("associations");
  if (enforce.limits) words.push_back("limits");
  if (enforce.qos) words.push_back("qos");
  if (enforce.safe) words.push_back("safe");
  return words.empty() ? "none" : absl::StrJoin(words, ",");
}

absl::Status ReadPartLimits(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  PartLimits read = PartLimits::kNo;
  draft.policy.enforce_part_limits.reset();
  if (value.empty()) return absl::OkStatus();
  if (!ReadWord(value, kPartLimits, read)) return Unexpected(value, want);
  draft.policy.enforce_part_limits = read;
  return absl::OkStatus();
}

std::string WritePartLimits(const priority::Policy& policy) {
  if (!policy.enforce_part_limits.has_value()) return "";
  return std::string(WriteWord(*policy.enforce_part_limits, kPartLimits));
}

absl::Status ReadMaxJobCount(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  constexpr uint64_t kMostJobs = 67'043'328;
  draft.policy.max_job_count = std::nullopt;
  if (value.empty()) return absl::OkStatus();
  const std::optional<uint64_t> count =
      ReadConfInteger(value, std::numeric_limits<uint32_t>::max());
  if (count.value_or(0) == 0) return Unexpected(value, want);
  draft.policy.max_job_count = static_cast<uint32_t>(std::min(*count, kMostJobs));
  return absl::OkStatus();
}

absl::StatusOr<priority::PartitionRules> ParseJobDefaults(absl::string_view text,
                                                          priority::PartitionRules rules) {
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(absl::StripAsciiWhitespace(word), absl::MaxSplits('=', 1));
    const std::optional<double> amount = ReadMegabytes(sides.second);
    const bool is_memory = absl::EqualsIgnoreCase(sides.first, "DefMemPerGPU");
    if (!amount.has_value() ||
        (!is_memory && !absl::EqualsIgnoreCase(sides.first, "DefCpuPerGPU"))) {
      return Unexpected(word, "DefCpuPerGPU=NUMBER or DefMemPerGPU=MB");
    }
    (is_memory ? rules.memory_per_gpu : rules.cpus_per_gpu) = *amount;
  }
  return rules;
}

absl::Status ReadChargeAtStart(absl::string_view value, absl::string_view want,
                               PolicyDraft& draft) {
  bool yes = false;
  if (ReadWord(value, kYesNo, yes)) {
    draft.policy.charge_at_start = yes ? 100 : 0;
    return absl::OkStatus();
  }
  absl::string_view number = value;
  const bool is_part = absl::ConsumeSuffix(&number, "%");
  const std::optional<double> percent = ReadDecimal(number);
  if (!is_part || !percent.has_value() || !(*percent > 0 && *percent <= 100)) {
    return Unexpected(value, want);
  }
  draft.policy.charge_at_start = *percent;
  return absl::OkStatus();
}

std::string WriteChargeAtStart(const priority::Policy& policy) {
  if (policy.charge_at_start == 0) return "NO";
  if (policy.charge_at_start == 100) return "YES";
  return absl::StrCat(DecimalText(policy.charge_at_start), "%");
}

absl::Status ReadUsageHeadroom(absl::string_view value, absl::string_view want,
                               PolicyDraft& draft) {
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const std::optional<double> times =
      absl::EqualsIgnoreCase(value, "UNLIMITED") ? 0 : ReadDecimal(value);
  if (!times.has_value() || *times < 0) return Unexpected(value, want);
  draft.policy.usage_headroom = *times == 0 ? kUnlimited : *times;
  return absl::OkStatus();
}

std::string WriteUsageHeadroom(const priority::Policy& policy) {
  return std::isinf(policy.usage_headroom) ? "UNLIMITED" : DecimalText(policy.usage_headroom);
}

}  // namespace priorityd::slurm
