// The policy: what slurm.conf's priority parameters say, checked and typed.
#ifndef PRIORITYD_SERVER_PRIORITY_POLICY_H_
#define PRIORITYD_SERVER_PRIORITY_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/priority/tres.h"

namespace priorityd::priority {

// PriorityType.
enum class PriorityType {
  kMultifactor,
  kBasic,  // FIFO: priorities are unset and the start order skips them.
};

// How the fair-share factor is computed: from PriorityFlags, or named by
// FairShareAlgorithm.
enum class FairShareAlgorithm {
  kFairTree,
  kClassic,         // NO_FAIR_TREE
  kDepthOblivious,  // DEPTH_OBLIVIOUS
  kLinear,          // SLURM 2.0
};

// What Fair Tree does with siblings of equal LevelFS.
enum class FairTreeTies {
  kMerge,  // The documented rule.
  kSlurm,  // What slurmctld does; x86-64 only.
};

// What moves the cluster's time.
enum class ClockMode {
  kReal,
  kManual,  // Only Recalculate{as_of} does.
};

// PriorityUsageResetPeriod.
enum class ResetPeriod {
  kNone,
  kNow,  // Once, when the policy version that says so is applied.
  kDaily,
  kWeekly,
  kMonthly,
  kQuarterly,
  kYearly,
  kInterval,  // Every Policy::reset_interval since it was first applied.
};

// EnforcePartLimits: which jobs that do not fit their partitions are refused.
enum class PartLimits {
  kNo,   // None: they wait.
  kAny,  // Those that fit none of them.
  kAll,  // Those that do not fit all of them.
};

// AccountingStorageEnforce: what of the association data keeps jobs back or out. Where the policy
// does not say it limits bite as under `limits,qos`, and nobody is refused.
struct Enforcement {
  bool given = false;         // Whether the policy says it.
  bool associations = false;  // A job without an association is refused.
  bool limits = true;
  bool qos = false;   // A job whose QOS is not allowed is refused.
  bool safe = false;  // A job starts only if all of it fits GrpTRESMins and GrpWall.

  friend bool operator==(const Enforcement&, const Enforcement&) = default;
};

// How long usage records are kept one by one.
struct PurgeAge {
  enum class Unit { kHours, kDays, kMonths };
  Unit unit = Unit::kMonths;
  int64_t count = 0;  // 0 = for ever.

  friend bool operator==(const PurgeAge&, const PurgeAge&) = default;
};

// PrivateData: what users are not shown of each other. Its other words (cloud, nodes, partitions,
// reservations) are about what priorityd does not show.
struct PrivateData {
  bool accounts = false;
  bool cloud = false;
  bool events = false;
  bool jobs = false;
  bool nodes = false;
  bool partitions = false;
  bool reservations = false;
  bool usage = false;
  bool users = false;

  friend bool operator==(const PrivateData&, const PrivateData&) = default;
};

// What PriorityMaxAge=UNLIMITED is: what Slurm takes it for, 136 years.
inline constexpr absl::Duration kUnlimitedAge = absl::Seconds(4294967236);

// By default. Two threads on each CPU that the configuration counts, under OverSubscribe=FORCE:4,
// are 8 times the CPUs.
inline constexpr double kUsageHeadroom = 10;

// Defaults are Slurm's.
struct Policy {
  PriorityType priority_type = PriorityType::kMultifactor;

  // PriorityDecayHalfLife; InfiniteDuration() = no decay (also 0 in the file).
  absl::Duration half_life = absl::Hours(7 * 24);
  // PriorityCalcPeriod; at least a minute.
  absl::Duration calc_period = absl::Minutes(5);
  ResetPeriod reset_period = ResetPeriod::kNone;
  absl::Duration reset_interval = absl::ZeroDuration();  // kInterval only; > 0.

  bool favor_small = false;
  // PriorityMaxAge; 0 = age factor 1 as soon as a job accrues; kUnlimitedAge at most.
  absl::Duration max_age = absl::Hours(7 * 24);

  uint32_t weight_age = 0;
  uint32_t weight_assoc = 0;
  uint32_t weight_fair_share = 0;
  uint32_t weight_job_size = 0;
  uint32_t weight_partition = 0;
  uint32_t weight_qos = 0;
  TresMap weight_tres;           // PriorityWeightTRES; may be negative.
  std::string weight_tres_text;  // As written, for sprio -w.

  // FairShareDampeningFactor; classic and depth-oblivious; at least 1.
  double dampening_factor = 1;

  FairShareAlgorithm algorithm = FairShareAlgorithm::kFairTree;
  FairTreeTies fair_tree_ties = FairTreeTies::kMerge;

  // PriorityFlags, those that `algorithm` does not say.
  bool accrue_always = false;
  bool calculate_running = false;
  bool incr_only = false;
  bool max_tres = false;
  bool max_tres_gres = false;  // Beats max_tres.
  bool no_normal_assoc = false;
  bool no_normal_part = false;
  bool no_normal_qos = false;
  bool no_normal_tres = false;
  bool small_relative_to_time = false;

  // PreemptType: which of QOS and partition say whether a job can preempt.
  bool preempt_by_qos = false;
  bool preempt_by_partition = false;
  // PreemptMode, of the partitions that name none: its words in upper case.
  std::string preempt_mode = "OFF";
  // PreemptExemptTime: what jobs run at least before they are preempted.
  absl::Duration preempt_exempt_time = absl::ZeroDuration();

  PrivateData private_data;

  // PrioritySiteFactorPlugin: host:port of a SiteFactor service; empty = none.
  std::string site_factor_plugin;
  std::string site_factor_parameters;  // PrioritySiteFactorParameters without its timeout.
  absl::Duration site_factor_timeout = absl::Seconds(5);  // Of one call.

  Enforcement enforce;
  std::optional<PartLimits> enforce_part_limits;  // Unset = as kNo.

  // PurgeJobAfter.
  PurgeAge purge_job_after;

  // UsageReplacement=collectors: a collector may replace what another one recorded.
  bool collectors_replace = false;
  // UsageHeadroom: how many times what the cluster has a usage record may use; infinite =
  // UNLIMITED, else above 0.
  double usage_headroom = kUsageHeadroom;

  // TimeZone: of the calendar resets and reports.
  absl::TimeZone time_zone = absl::LocalTimeZone();
  ClockMode clock = ClockMode::kReal;

  // Whether usage decays at all.
  bool decays() const { return half_life < absl::InfiniteDuration(); }

  friend bool operator==(const Policy&, const Policy&) = default;
};

// The PriorityFlags of a policy by Slurm's names, sorted.
std::vector<std::string> PriorityFlagNames(const Policy& policy);

// The words of the policy file and of the API: `fair_tree`, `classic`,
// `depth_oblivious`, `linear`; `merge`, `slurm`.
absl::string_view FairShareAlgorithmName(FairShareAlgorithm algorithm);
absl::string_view FairTreeTiesName(FairTreeTies ties);

// NONE, NOW, DAILY, ...; an interval as d-hh:mm:ss.
std::string ResetPeriodName(const Policy& policy);

// 48hours, 30days, 12months; INFINITE where count is 0.
std::string PurgeAgeName(const PurgeAge& age);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_POLICY_H_
