// The policy: the priority parameters of slurm.conf, validated and typed.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_POLICY_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_POLICY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/scheduling.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// PriorityType.
enum class PriorityType {
  kMultifactor,
  kBasic,  // FIFO: jobs have no priority and the start order ignores it.
};

// The formula of the fair-share factor; set by PriorityFlags or by FairShareAlgorithm.
enum class FairShareAlgorithm {
  kFairTree,
  kClassic,         // NO_FAIR_TREE
  kDepthOblivious,  // DEPTH_OBLIVIOUS
  kLinear,          // SLURM 2.0
};

// The rule of Fair Tree for siblings of equal LevelFS.
enum class FairTreeTies {
  kMerge,  // The documented rule.
  kSlurm,  // The behaviour of slurmctld; x86-64 only.
};

// The clock of the cluster.
enum class ClockMode {
  kReal,
  kManual,  // Only Recalculate{as_of} advances the time.
};

// PriorityUsageResetPeriod.
enum class ResetPeriod {
  kNone,
  kNow,  // Once, when the policy version with this value is applied.
  kDaily,
  kWeekly,
  kMonthly,
  kQuarterly,
  kYearly,
  kInterval,  // Every Policy::reset_interval, counted from its first application.
};

// EnforcePartLimits: which jobs are rejected because of the limits of their partitions.
enum class PartLimits {
  kNo,   // None: such jobs wait.
  kAny,  // Jobs that fit none of their partitions.
  kAll,  // Jobs that do not fit all of their partitions.
};

// AccountingStorageEnforce: which association data delays or rejects jobs. If the policy does not
// set it, limits apply as under `limits,qos`, and no job is rejected.
struct Enforcement {
  bool given = false;         // Whether the policy sets it.
  bool associations = false;  // A job without an association is rejected.
  bool limits = true;         // Jobs that exceed limits wait.
  bool qos = false;           // A job whose QOS is not allowed is rejected.
  bool safe = false;          // A job starts only if it fits GrpTRESMins and GrpWall to its end.

  friend bool operator==(const Enforcement&, const Enforcement&) = default;
};

// DefMemPerCPU or DefMemPerNode: the memory of a job that names none. 0 = not given; at most one
// is.
struct DefaultMemory {
  double per_cpu = 0;   // MB.
  double per_node = 0;  // MB.

  bool given() const { return per_cpu > 0 || per_node > 0; }

  friend bool operator==(const DefaultMemory&, const DefaultMemory&) = default;
};

// The resources of a job that requests less. 0 = not given.
struct JobDefaults {
  DefaultMemory memory;
  double memory_per_gpu = 0;      // DefMemPerGPU, MB: of jobs with GPUs, before `memory`.
  double cpus_per_gpu = 0;        // DefCpuPerGPU: the CPUs of jobs with GPUs that name none.
  double max_memory_per_cpu = 0;  // MaxMemPerCPU, MB: jobs with more memory get more CPUs.

  bool given() const {
    return memory.given() || memory_per_gpu > 0 || cpus_per_gpu > 0 || max_memory_per_cpu > 0;
  }

  friend bool operator==(const JobDefaults&, const JobDefaults&) = default;
};

// The settings of a PartitionName line for the jobs of its partition; unset = as the cluster.
struct PartitionRules {
  std::optional<DefaultMemory> memory;  // DefMemPerCPU or DefMemPerNode.
  std::optional<double> memory_per_gpu;
  std::optional<double> cpus_per_gpu;
  std::optional<double> max_memory_per_cpu;
  std::optional<bool> disable_root_jobs;
  bool requires_reservation = false;  // ReqResv.
  std::string preempt_mode;           // PreemptMode in upper case; empty = the policy's.
  absl::Duration grace_time = absl::ZeroDuration();  // GraceTime.

  friend bool operator==(const PartitionRules&, const PartitionRules&) = default;
};

// PurgeJobAfter: how long single usage records are kept.
struct PurgeAge {
  enum class Unit { kHours, kDays, kMonths };
  Unit unit = Unit::kMonths;
  int64_t count = 0;  // 0 = for ever.

  friend bool operator==(const PurgeAge&, const PurgeAge&) = default;
};

// PrivateData: the data hidden from other users. The words cloud, nodes and partitions have no
// effect: priorityd shows no such data of other users.
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

// The value of PriorityMaxAge=UNLIMITED, as in Slurm: 136 years.
inline constexpr absl::Duration kUnlimitedAge = absl::Seconds(4294967236);

// The longest MinJobAge that is acted on: ended jobs need memory.
inline constexpr absl::Duration kMaxJobAge = absl::Hours(24);

// The default of UsageHeadroom: two threads per configured CPU under OverSubscribe=FORCE:4 give 8
// times the CPUs.
inline constexpr double kUsageHeadroom = 10;

// The defaults are those of Slurm.
struct Policy {
  PriorityType priority_type = PriorityType::kMultifactor;

  // PriorityDecayHalfLife; InfiniteDuration() = no decay (0 in the file).
  absl::Duration half_life = absl::Hours(7 * 24);
  // PriorityCalcPeriod; at least a minute.
  absl::Duration calc_period = absl::Minutes(5);
  ResetPeriod reset_period = ResetPeriod::kNone;
  absl::Duration reset_interval = absl::ZeroDuration();  // kInterval only; > 0.

  bool favor_small = false;
  // PriorityMaxAge, at most kUnlimitedAge; 0 = the age factor is 1 as soon as a job accrues.
  absl::Duration max_age = absl::Hours(7 * 24);

  uint32_t weight_age = 0;
  uint32_t weight_assoc = 0;
  uint32_t weight_fair_share = 0;
  uint32_t weight_job_size = 0;
  uint32_t weight_partition = 0;
  uint32_t weight_qos = 0;
  TresMap weight_tres;           // PriorityWeightTRES; may be negative.
  std::string weight_tres_text;  // As written, for sprio -w.

  // FairShareDampeningFactor, at least 1; read by classic and depth-oblivious only.
  double dampening_factor = 1;

  FairShareAlgorithm algorithm = FairShareAlgorithm::kFairTree;
  FairTreeTies fair_tree_ties = FairTreeTies::kMerge;

  // PriorityFlags, except those that set `algorithm`.
  bool accrue_always = false;
  bool calculate_running = false;
  bool incr_only = false;
  bool max_tres = false;
  bool max_tres_gres = false;  // Takes precedence over max_tres.
  bool no_normal_assoc = false;
  bool no_normal_part = false;
  bool no_normal_qos = false;
  bool no_normal_tres = false;
  bool small_relative_to_time = false;

  // PreemptType: whether the QOS, or the partition, decides whether a job can preempt.
  bool preempt_by_qos = false;
  bool preempt_by_partition = false;
  // PreemptMode in upper case, the default of partitions that set none.
  std::string preempt_mode = "OFF";
  // PreemptExemptTime: the time for which jobs run before they can be preempted.
  absl::Duration preempt_exempt_time = absl::ZeroDuration();
  // PreemptParameters: the highest priority of jobs that can be preempted; unset = no bound.
  std::optional<uint32_t> min_exempt_priority;
  // PreemptParameters: among sets of victims of equal size, those that started last.
  bool youngest_first = false;
  // PreemptParameters: jobs are preempted for licenses too.
  bool reclaim_licenses = false;

  // The planning of waiting jobs; does not change their order.
  Scheduling scheduling;

  // JobRequeue: whether jobs that do not say so may be requeued.
  bool job_requeue = true;

  // MinJobAge: how long jobs that have ended are listed; at most kMaxJobAge.
  absl::Duration min_job_age = absl::Minutes(5);

  PrivateData private_data;

  // PrioritySiteFactorPlugin: host:port of a SiteFactor service; empty = none.
  std::string site_factor_plugin;
  std::string site_factor_parameters;  // PrioritySiteFactorParameters without its timeout.
  absl::Duration site_factor_timeout = absl::Seconds(5);  // Deadline of one call.

  Enforcement enforce;
  std::optional<PartLimits> enforce_part_limits;  // Unset = kNo.

  // MaxArraySize: greater than every task id of a submitted job array; 0 = no arrays. Unset =
  // kMaxArrayTaskId + 1 of array_task_ids.h.
  std::optional<uint32_t> max_array_size;
  // MaxJobCount: the largest number of jobs of the cluster that have not ended; an array that is
  // not split counts once. Unset = no bound.
  std::optional<uint32_t> max_job_count;

  JobDefaults job_defaults;
  bool disable_root_jobs = false;  // DisableRootJobs: jobs of root are refused.
  // By name of the partitions whose PartitionName lines set any of them.
  std::map<std::string, PartitionRules> partition_rules;

  // PurgeJobAfter.
  PurgeAge purge_job_after;

  // UsageReplacement=collectors: a collector may replace records of another collector.
  bool collectors_replace = false;
  // UsageFromJobEnd=yes: a job that its frontend reports as ended is charged, unless a collector
  // reports it.
  bool usage_from_job_end = false;
  // ChargeAtStart: percent of its time limit for which fair-share charges a job from its start on,
  // until its records do. Above 0, at most 100; 0 = NO.
  double charge_at_start = 0;
  // UsageHeadroom: the largest usage of a record, as a multiple of the cluster's resources. Above
  // 0; infinite = UNLIMITED.
  double usage_headroom = kUsageHeadroom;

  // TimeZone of calendar resets and reports.
  absl::TimeZone time_zone = absl::LocalTimeZone();
  ClockMode clock = ClockMode::kReal;

  // Whether usage decays.
  bool decays() const { return half_life < absl::InfiniteDuration(); }

  friend bool operator==(const Policy&, const Policy&) = default;
};

// The PriorityFlags of a policy as Slurm's names, sorted.
std::vector<std::string> PriorityFlagNames(const Policy& policy);

// The values of FairShareAlgorithm and FairTreeTies in the policy file and the API: `fair_tree`,
// `classic`, `depth_oblivious`, `linear`; `merge`, `slurm`. Static storage.
absl::string_view FairShareAlgorithmName(FairShareAlgorithm algorithm);
absl::string_view FairTreeTiesName(FairTreeTies ties);

// The value of PriorityUsageResetPeriod: NONE, NOW, DAILY, ...; an interval as d-hh:mm:ss.
std::string ResetPeriodName(const Policy& policy);

// The value of PurgeJobAfter: 48hours, 30days, 12months; INFINITE if count is 0.
std::string PurgeAgeName(const PurgeAge& age);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_POLICY_H_
