#include "server/configuration/stored_policy.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/configuration/parsed_policies.h"

namespace priorityd::configuration {
namespace {

// Enough for the newest policy of each cluster and the one in force.
constexpr size_t kKeptPolicies = 64;

}  // namespace

absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> ParseStored(
    const std::optional<storage::PolicyVersion>& version) {
  static ParsedPolicies* const policies = new ParsedPolicies(kKeptPolicies);
  if (!version.has_value()) return std::make_shared<const slurm::SlurmConf>();
  absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> conf = policies->Parse(version->files);
  if (conf.ok()) return conf;
  return absl::InternalError(absl::StrCat("policy version ", version->version,
                                          " can no longer be read: ", conf.status().message()));
}

priority::ResetRule ResetRuleOf(const priority::Policy& policy,
                                const std::optional<storage::PolicyVersion>& version) {
  priority::ResetRule rule;
  rule.period = policy.reset_period;
  rule.interval = policy.reset_interval;
  rule.time_zone = policy.time_zone;
  if (!version.has_value()) return rule;
  rule.anchor = version->reset_anchor;
  rule.floor = version->reset_floor;
  // The anchor is the time of application, but an interval keeps that of an earlier version.
  if (rule.period != priority::ResetPeriod::kInterval) rule.floor_from = version->reset_anchor;
  // The floor is the time of NOW.
  if (rule.period == priority::ResetPeriod::kNow) rule.period = priority::ResetPeriod::kNone;
  return rule;
}

std::vector<priority::HalfLifeChange> TimelineOf(const std::vector<storage::HalfLife>& half_lives,
                                                 const priority::Policy& policy) {
  if (half_lives.empty()) return {{absl::InfinitePast(), policy.half_life}};
  std::vector<priority::HalfLifeChange> timeline;
  for (const storage::HalfLife& entry : half_lives) {
    timeline.push_back({entry.effective_at, entry.half_life.value_or(absl::InfiniteDuration())});
  }
  return timeline;
}

std::optional<storage::HalfLife> TimelineChange(const std::vector<storage::HalfLife>& half_lives,
                                                const priority::Policy& policy, absl::Time time,
                                                absl::Time latest_usage) {
  storage::HalfLife wanted;
  if (policy.decays()) wanted.half_life = policy.half_life;
  if (half_lives.empty()) return wanted;
  if (half_lives.back().half_life == wanted.half_life) return std::nullopt;
  wanted.effective_at = std::max({time, latest_usage, half_lives.back().effective_at});
  return wanted;
}

}  // namespace priorityd::configuration
