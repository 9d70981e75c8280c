#include "client/slurm/slurm_priorities.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/slurm/site_texts.h"
#include "client/timestamp.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr std::pair<const char*, const char*> kWeights[] = {
    {"age", "PriorityWeightAge"},
    {"assoc", "PriorityWeightAssoc"},
    {"fair_share", "PriorityWeightFairShare"},
    {"job_size", "PriorityWeightJobSize"},
    {"partition", "PriorityWeightPartition"},
    {"qos", "PriorityWeightQOS"}};

// Reads a parameter that is a time; keeps its value if the text has none.
absl::Status ReadTime(const std::string& config, const std::string& parameter,
                      absl::Duration* time) {
  const std::string text = ConfigValue(config, parameter);
  if (text.empty()) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> read = slurm::ParseTimeString(text);
  if (!read.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("scontrol show config: ", parameter, ": ", read.status().message()));
  }
  *time = *read;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PriorityRules> ReadPriorityRules(const std::string& config) {
  PriorityRules rules;
  for (const auto& [factor, parameter] : kWeights) {
    const std::string text = ConfigValue(config, parameter);
    if (!text.empty() && !absl::SimpleAtod(text, &rules.weights[factor])) {
      return absl::InvalidArgumentError(
          absl::StrCat("scontrol show config: ", parameter, ": got \"", text, "\", want a number"));
    }
  }
  absl::Status read = ReadTime(config, "PriorityMaxAge", &rules.max_age);
  if (read.ok()) read = ReadTime(config, "PriorityDecayHalfLife", &rules.half_life);
  if (!read.ok()) return read;
  // Slurm's value for usage that does not decay.
  if (rules.half_life <= absl::ZeroDuration()) rules.half_life = absl::InfiniteDuration();
  rules.multifactor = ConfigValue(config, "PriorityType") == "priority/multifactor";
  rules.normalized = !absl::StrContains(ConfigValue(config, "PriorityFlags"), "NO_NORMAL");
  return rules;
}

std::map<std::string, absl::Time> AccrueTimes(const ::priority::v1::InlineJobs& jobs) {
  std::map<std::string, absl::Time> times;
  for (const auto& job : jobs.jobs()) {
    if (job.has_accrue_time()) times[job.job_id()] = client::FromTimestamp(job.accrue_time());
  }
  return times;
}

std::optional<absl::Time> ComputedAt(const tables::SprioRow& row, const PriorityRules& rules,
                                     const std::map<std::string, absl::Time>& accrue_times) {
  const double age = row.factors.at("age");
  const auto accrues = accrue_times.find(row.job_id);
  if (age <= 0 || age >= 1 || accrues == accrue_times.end()) return std::nullopt;
  const double seconds = age * absl::ToDoubleSeconds(rules.max_age);
  return accrues->second + absl::Seconds(numbers::RoundedWhole(seconds));
}

std::optional<absl::Time> LastPass(const std::vector<tables::SprioRow>& rows,
                                   const PriorityRules& rules,
                                   const std::map<std::string, absl::Time>& accrue_times) {
  std::map<absl::Time, int64_t> votes;
  std::optional<absl::Time> most;
  for (const tables::SprioRow& row : rows) {
    const std::optional<absl::Time> time = ComputedAt(row, rules, accrue_times);
    if (!time.has_value()) continue;
    const int64_t count = ++votes[*time];
    if (!most.has_value() || count > votes[*most]) most = time;
  }
  return most;
}

void CopySetByHand(const std::vector<tables::SprioRow>& rows, ::priority::v1::InlineJobs* jobs) {
  std::map<std::string, int64_t> set;
  for (const tables::SprioRow& row : rows) {
    if (row.IsSetByHand()) set[row.job_id] = row.priority;
  }
  for (auto& job : *jobs->mutable_jobs()) {
    const auto found = set.find(job.job_id());
    if (found != set.end()) job.set_admin_priority(static_cast<uint32_t>(found->second));
  }
}

bool IsAwaited(const std::string& job_id, const ::priority::v1::InlineJobs& jobs) {
  for (const auto& job : jobs.jobs()) {
    for (const absl::string_view word :
         absl::StrSplit(job.dependency(), absl::ByAnyChar(":,?+_"), absl::SkipEmpty())) {
      if (word == job_id) return true;
    }
  }
  return false;
}

}  // namespace priorityd::slurm_frontend
