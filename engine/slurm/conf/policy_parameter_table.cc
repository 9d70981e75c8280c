#include "engine/slurm/conf/policy_parameter_table.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "engine/slurm/conf/decay_parameters.h"
#include "engine/slurm/conf/flag_parameters.h"
#include "engine/slurm/conf/limit_parameters.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/conf/scheduler_parameters.h"
#include "engine/slurm/conf/service_parameters.h"
#include "engine/slurm/conf/weight_parameters.h"

namespace priorityd::slurm {
namespace {

using priority::DefaultMemory;
using priority::JobDefaults;
using priority::Policy;

constexpr Word<priority::PriorityType> kPriorityTypes[] = {
    {"priority/multifactor", priority::PriorityType::kMultifactor},
    {"priority/basic", priority::PriorityType::kBasic}};
constexpr Word<priority::FairTreeTies> kFairTreeTies[] = {
    {"merge", priority::FairTreeTies::kMerge}, {"slurm", priority::FairTreeTies::kSlurm}};
constexpr Word<priority::ClockMode> kClocks[] = {{"real", priority::ClockMode::kReal},
                                                 {"manual", priority::ClockMode::kManual}};
constexpr Word<bool> kReplacing[] = {{"recorder", false}, {"collectors", true}};

constexpr Word<bool> kZeroOne[] = {{"1", true}, {"0", false}};

constexpr char kWeight[] = "a whole number from 0 to 4294967295";

constexpr PolicyParameter kTable[] = {
    {"PriorityType", "priority/multifactor or priority/basic", "priority/multifactor",
     "Whether jobs have priorities (multifactor) or start in the order of their submission "
     "(basic).",
     ReadWordOf<&Policy::priority_type, kPriorityTypes>,
     WriteWordOf<&Policy::priority_type, kPriorityTypes>},
    {"PriorityDecayHalfLife", "a time; 0 or INFINITE for no decay", "7-00:00:00",
     "The half-life of recorded usage; 0 requires PriorityUsageResetPeriod to be given too.",
     ReadHalfLife, WriteHalfLife},
    {"PriorityCalcPeriod", "at least 1 (minute)", "00:05:00",
     "How often usage is decayed and fair-share calculated.", ReadCalcPeriod, WriteCalcPeriod},
    {"PriorityUsageResetPeriod",
     "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an interval above 0 such as 28-0",
     "NONE", "When usage is reset to 0; NOW resets it once, when the policy is applied.",
     ReadResetPeriod, priority::ResetPeriodName},
    {"PriorityFavorSmall", "YES or NO", "NO",
     "Whether small jobs, instead of large ones, get the points of the job-size factor.",
     ReadWordOf<&Policy::favor_small, kYesNo>, WriteWordOf<&Policy::favor_small, kYesNo>},
    {"PriorityMaxAge", "a time; UNLIMITED for 136 years", "7-00:00:00",
     "The wait after which the age factor is 1; with 0 it is 1 as soon as the job accrues age.",
     ReadMaxAge, WriteMaxAge},
    {"PriorityWeightAge", kWeight, "0", "The weight of the age factor.",
     ReadWeight<&Policy::weight_age>, WriteWeight<&Policy::weight_age>},
    {"PriorityWeightAssoc", kWeight, "0", "The weight of the association's priority.",
     ReadWeight<&Policy::weight_assoc>, WriteWeight<&Policy::weight_assoc>},
    {"PriorityWeightFairshare", kWeight, "0", "The weight of the fair-share factor.",
     ReadWeight<&Policy::weight_fair_share>, WriteWeight<&Policy::weight_fair_share>},
    {"PriorityWeightJobSize", kWeight, "0", "The weight of the job-size factor.",
     ReadWeight<&Policy::weight_job_size>, WriteWeight<&Policy::weight_job_size>},
    {"PriorityWeightPartition", kWeight, "0", "The weight of the partition's PriorityJobFactor.",
     ReadWeight<&Policy::weight_partition>, WriteWeight<&Policy::weight_partition>},
    {"PriorityWeightQOS", kWeight, "0", "The weight of the QOS's priority.",
     ReadWeight<&Policy::weight_qos>, WriteWeight<&Policy::weight_qos>},
    {"PriorityWeightTRES", "numbers by TRES such as CPU=2000,Mem=4000,GRES/gpu=3000", "",
     "The weights of the TRES that a job requests of its partition's; they may be negative.",
     ReadWeightTres, WriteWeightTres},
    {"FairShareDampeningFactor", "a number of at least 1", "1",
     "Divides the effect of usage on fair-share; classic and depth_oblivious only.",
     ReadDampeningFactor, WriteDampeningFactor},
    {"PriorityFlags",
     "ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, MAX_TRES_GRES, "
     "NO_FAIR_TREE, NO_NORMAL_ALL, NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS, "
     "NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME",
     "", "Variants of factors and billing; MAX_TRES_GRES overrides MAX_TRES.", ReadPriorityFlags,
     WritePriorityFlags},
    {"FairShareAlgorithm", "fair_tree, classic, depth_oblivious or linear", "fair_tree",
     "How fair-share is calculated; without it, PriorityFlags decides.", ReadFairShareAlgorithm,
     WriteFairShareAlgorithm},
    {"FairTreeTies", "merge or slurm", "merge",
     "How siblings of equal LevelFS are ranked: by the documented rule, or as slurmctld does.",
     ReadWordOf<&Policy::fair_tree_ties, kFairTreeTies>,
     WriteWordOf<&Policy::fair_tree_ties, kFairTreeTies>},
    {"PreemptType", "preempt/none, preempt/qos or preempt/partition_prio", "preempt/none",
     "What decides whether a job can preempt others: nothing, its QOS or its partition.",
     ReadPreemptType, WritePreemptType},
    {"PreemptMode", kPreemptModes, "OFF",
     "The mode for jobs whose partition or QOS has no PreemptMode; OFF, WITHIN and PRIORITY also "
     "limit which jobs may preempt them.",
     ReadPreemptMode, WritePreemptMode},
    {"PreemptExemptTime", "a time; 0 or -1 for none", "00:00:00",
     "The time that a job runs before it can be preempted; a QOS's value overrides it.",
     ReadPreemptExemptTime, WritePreemptExemptTime},
    {"PreemptParameters", "words separated by commas", "",
     "Which jobs are preempted: min_exempt_priority=PRIORITY exempts those above it, "
     "youngest_first prefers those that started last, reclaim_licenses also preempts for licenses.",
     ReadPreemptParameters, WritePreemptParameters},
    {"SchedulerType", "sched/backfill or sched/builtin", "sched/backfill",
     "Whether plans let jobs overtake one that cannot start, without delaying it.",
     ReadSchedulerType, WriteSchedulerType},
    {"SchedulerParameters", "words separated by commas", "",
     "Which jobs plans consider: bf_max_job_test, _user, _assoc, _part, and bf_window.",
     ReadSchedulerParameters, WriteSchedulerParameters},
    {"PartitionNodeCaps", "numbers of nodes by partition such as owner1=8,owner2=4", "",
     "The nodes that the jobs of a partition may use at a time, for plans.", ReadPartitionNodeCaps,
     WritePartitionNodeCaps},
    {"JobRequeue", "1 or 0", "1",
     "Whether a preempted job may be requeued if its frontend does not specify it.",
     ReadWordOf<&Policy::job_requeue, kZeroOne>, WriteWordOf<&Policy::job_requeue, kZeroOne>},
    {"MinJobAge", "seconds; 0 and more than 86400 are 86400", "300",
     "How long jobs that have ended are listed.", ReadMinJobAge, WriteMinJobAge},
    {"PrivateData",
     "accounts, cloud, events, jobs, nodes, partitions, reservations, usage, users, all or none",
     "", "What users do not see of each other: see docs/security.md.", ReadPrivateData,
     WritePrivateData},
    {"PrioritySiteFactorPlugin", "host:port of a SiteFactor service", "",
     "The site's own gRPC service for site factors; site_factor/none is none.",
     ReadSiteFactorPlugin, WriteSiteFactorPlugin},
    {"PrioritySiteFactorParameters", "words for the service, and timeout=SECONDS (5)", "",
     "Parameters for the SiteFactor service, and the timeout of a call.", ReadSiteFactorParameters,
     WriteSiteFactorParameters},
    {"AccountingStorageEnforce",
     "associations, limits, qos, safe, nojobs, nosteps, wckeys, all or none", "",
     "Which limits of the association data are enforced; without it, as with limits.",
     ReadEnforcement, WriteEnforcement},
    {"EnforcePartLimits", "NO, ANY or ALL", "",
     "Whether jobs that fit none (ANY) or not all (ALL) of their partitions are refused.",
     ReadPartLimits, WritePartLimits},
    {"MaxArraySize", "a number from 0 (no arrays) to 4000001", "",
     "Submitted job arrays have task ids below it; without it, below 4000001.",
     ReadCount<&Policy::max_array_size, 0, 4'000'001>, WriteCount<&Policy::max_array_size>},
    {"MaxJobCount", "a number of at least 1; UNLIMITED and more than 67043328 are 67043328", "",
     "The largest number of jobs that have not ended; a submission beyond it is refused.",
     ReadMaxJobCount, WriteCount<&Policy::max_job_count>},
    {"DefMemPerCPU", kDefaultMemoryWant, "",
     "The memory of jobs that name none, for each CPU; a PartitionName line overrides it.",
     ReadDefaultMemoryOf<&DefaultMemory::per_cpu>, WriteDefaultMemory<&DefaultMemory::per_cpu>},
    {"DefMemPerNode", kDefaultMemoryWant, "",
     "The same for each node; of the two, the last in the file holds.",
     ReadDefaultMemoryOf<&DefaultMemory::per_node>, WriteDefaultMemory<&DefaultMemory::per_node>},
    {"DefMemPerGPU", kDefaultMemoryWant, "",
     "The same for each GPU of jobs that request GPUs, before the other two.",
     ReadJobDefault<&JobDefaults::memory_per_gpu>, WriteJobDefault<&JobDefaults::memory_per_gpu>},
    {"DefCpuPerGPU", "a number of CPUs; 0 for none", "",
     "The CPUs for each GPU of jobs that request GPUs and name no CPUs.",
     ReadJobDefault<&JobDefaults::cpus_per_gpu>, WriteJobDefault<&JobDefaults::cpus_per_gpu>},
    {"MaxMemPerCPU", kDefaultMemoryWant, "",
     "Jobs with more memory for each CPU get as many CPUs as their memory needs.",
     ReadJobDefault<&JobDefaults::max_memory_per_cpu>,
     WriteJobDefault<&JobDefaults::max_memory_per_cpu>},
    {"DisableRootJobs", "YES or NO", "NO",
     "Whether jobs of root are refused; a PartitionName line overrides it.",
     ReadWordOf<&Policy::disable_root_jobs, kYesNo>,
     WriteWordOf<&Policy::disable_root_jobs, kYesNo>},
    {"PurgeJobAfter",
     "a number of months or an age such as 48hours, 30days or 12months, or INFINITE", "INFINITE",
     "How long usage records are kept before they are rolled up.", ReadPurgeJobAfter,
     WritePurgeJobAfter},
    {"UsageReplacement", "recorder or collectors", "recorder",
     "Who may replace a usage record: the principal that recorded it, or any collector.",
     ReadWordOf<&Policy::collectors_replace, kReplacing>,
     WriteWordOf<&Policy::collectors_replace, kReplacing>},
    {"UsageFromJobEnd", "YES or NO", "NO",
     "Whether jobs that frontends report as ended are charged, unless a collector reports them.",
     ReadWordOf<&Policy::usage_from_job_end, kYesNo>,
     WriteWordOf<&Policy::usage_from_job_end, kYesNo>},
    {"ChargeAtStart", "YES, NO or a part such as 40%", "NO",
     "The part of its time limit that fair-share charges a job from its start on (YES: all of it).",
     ReadChargeAtStart, WriteChargeAtStart},
    {"UsageHeadroom", "a number above 0, or 0 or UNLIMITED for no bound", "10",
     "The bound of a usage record, as a multiple of the cluster's totals; more is rejected.",
     ReadUsageHeadroom, WriteUsageHeadroom},
    {"TimeZone", "an IANA time zone such as Europe/Berlin", "the server's",
     "The time zone of calendar resets and reports.", ReadTimeZone, WriteTimeZone},
    {"Clock", "real or manual", "real",
     "Whether time passes by itself, or is set by Recalculate and never goes back.",
     ReadWordOf<&Policy::clock, kClocks>, WriteWordOf<&Policy::clock, kClocks>},
};

}  // namespace

absl::Span<const PolicyParameter> PolicyParameterTable() { return kTable; }

const PolicyParameter* FindPolicyParameter(absl::string_view name) {
  static const auto* const by_name = [] {
    auto* const names = new absl::flat_hash_map<std::string, const PolicyParameter*>;
    for (const PolicyParameter& parameter : kTable) {
      names->emplace(absl::AsciiStrToLower(parameter.name), &parameter);
    }
    return names;
  }();
  const auto found = by_name->find(absl::AsciiStrToLower(name));
  return found == by_name->end() ? nullptr : found->second;
}

}  // namespace priorityd::slurm
