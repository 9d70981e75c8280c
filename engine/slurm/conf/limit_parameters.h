// Parameters on the enforcement of limits and on bounds of usage. See ReadParameter and
// WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/conf/policy_draft.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {

// Whole MB; 0 for UNLIMITED, INFINITE and -1; nullopt for other texts.
std::optional<double> ReadMegabytes(absl::string_view value);

inline constexpr absl::string_view kDefaultMemoryWant =
    "MB from 0 (none) to 4294967294, or UNLIMITED";

// As in Slurm, `limits` and `qos` imply `associations`, and `safe` implies `limits`. `wckeys`,
// `nojobs` and `nosteps` are accepted and have no effect. An empty value is as if the parameter
// were missing, here and below.
absl::Status ReadEnforcement(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteEnforcement(const priority::Policy& policy);

absl::Status ReadPartLimits(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePartLimits(const priority::Policy& policy);

// MaxArraySize: from kLeast to kMost.
template <std::optional<uint32_t> priority::Policy::*kCount, uint32_t kLeast, uint32_t kMost>
absl::Status ReadCount(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  draft.policy.*kCount = std::nullopt;
  if (value.empty()) return absl::OkStatus();
  const std::optional<uint64_t> count = ReadConfInteger(value, kMost);
  if (!count.has_value() || *count < kLeast) return Unexpected(value, want);
  draft.policy.*kCount = static_cast<uint32_t>(*count);
  return absl::OkStatus();
}
template <std::optional<uint32_t> priority::Policy::*kCount>
std::string WriteCount(const priority::Policy& policy) {
  return (policy.*kCount).has_value() ? absl::StrCat(*(policy.*kCount)) : "";
}

// MaxJobCount: at least 1; a larger number than slurmctld's bound is the bound, as there.
absl::Status ReadMaxJobCount(absl::string_view value, absl::string_view want, PolicyDraft& draft);

// DefMemPerCPU and DefMemPerNode: MB. The last of the two that is given holds; 0 and UNLIMITED are
// none. Also reads those of PartitionName lines.
template <double priority::DefaultMemory::*kMegabytes>
absl::Status ReadDefaultMemory(absl::string_view value, absl::string_view want,
                               priority::DefaultMemory& memory) {
  memory.*kMegabytes = 0;
  if (value.empty()) return absl::OkStatus();
  const std::optional<double> megabytes = ReadMegabytes(value);
  if (!megabytes.has_value()) return Unexpected(value, want);
  memory = {};
  memory.*kMegabytes = *megabytes;
  return absl::OkStatus();
}
template <double priority::DefaultMemory::*kMegabytes>
absl::Status ReadDefaultMemoryOf(absl::string_view value, absl::string_view want,
                                 PolicyDraft& draft) {
  return ReadDefaultMemory<kMegabytes>(value, want, draft.policy.job_defaults.memory);
}
template <double priority::DefaultMemory::*kMegabytes>
std::string WriteDefaultMemory(const priority::Policy& policy) {
  const double megabytes = policy.job_defaults.memory.*kMegabytes;
  return megabytes > 0 ? DecimalText(megabytes) : "";
}

// MaxMemPerCPU, DefMemPerGPU and DefCpuPerGPU: 0 and UNLIMITED are none.
template <double priority::JobDefaults::*kAmount>
absl::Status ReadJobDefault(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  const std::optional<double> amount = value.empty() ? 0 : ReadMegabytes(value);
  if (!amount.has_value()) return Unexpected(value, want);
  draft.policy.job_defaults.*kAmount = *amount;
  return absl::OkStatus();
}
template <double priority::JobDefaults::*kAmount>
std::string WriteJobDefault(const priority::Policy& policy) {
  const double amount = policy.job_defaults.*kAmount;
  return amount > 0 ? DecimalText(amount) : "";
}

// JobDefaults of a PartitionName line: DefCpuPerGPU=N and DefMemPerGPU=MB, with commas between
// them. INVALID_ARGUMENT `got "x", want y`.
absl::StatusOr<priority::PartitionRules> ParseJobDefaults(absl::string_view text,
                                                          priority::PartitionRules rules);

// ChargeAtStart: a part of the time limit.
absl::Status ReadChargeAtStart(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteChargeAtStart(const priority::Policy& policy);

absl::Status ReadUsageHeadroom(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteUsageHeadroom(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_
