#include "server/slurm/policy_parameter_table.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "server/slurm/decay_parameters.h"
#include "server/slurm/flag_parameters.h"
#include "server/slurm/limit_parameters.h"
#include "server/slurm/parameter_words.h"
#include "server/slurm/preempt_parameters.h"
#include "server/slurm/service_parameters.h"
#include "server/slurm/weight_parameters.h"

namespace priorityd::slurm {
namespace {

using priority::Policy;

constexpr Word<priority::PriorityType> kPriorityTypes[] = {
    {"priority/multifactor", priority::PriorityType::kMultifactor},
    {"priority/basic", priority::PriorityType::kBasic}};
constexpr Word<priority::FairTreeTies> kFairTreeTies[] = {
    {"merge", priority::FairTreeTies::kMerge}, {"slurm", priority::FairTreeTies::kSlurm}};
constexpr Word<priority::ClockMode> kClocks[] = {{"real", priority::ClockMode::kReal},
                                                 {"manual", priority::ClockMode::kManual}};
constexpr Word<bool> kReplacing[] = {{"recorder", false}, {"collectors", true}};

constexpr char kWeight[] = "a whole number from 0 to 4294967295";

constexpr PolicyParameter kTable[] = {
    {"PriorityType", "priority/multifactor or priority/basic", "priority/multifactor",
     "Whether jobs have priorities (multifactor) or start in the order of their submission "
     "(basic).",
     ReadWordOf<&Policy::priority_type, kPriorityTypes>,
     WriteWordOf<&Policy::priority_type, kPriorityTypes>},
    {"PriorityDecayHalfLife", "a time; 0 or INFINITE for no decay", "7-00:00:00",
     "The time in which usage counts half; 0 wants PriorityUsageResetPeriod to be given too.",
     ReadHalfLife, WriteHalfLife},
    {"PriorityCalcPeriod", "at least 1 (minute)", "00:05:00",
     "How often usage is decayed and fair-share calculated.", ReadCalcPeriod, WriteCalcPeriod},
    {"PriorityUsageResetPeriod",
     "NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an interval above 0 such as 28-0",
     "NONE", "When usage begins again at 0; NOW is once, when the policy is applied.",
     ReadResetPeriod, priority::ResetPeriodName},
    {"PriorityFavorSmall", "YES or NO", "NO",
     "Whether small jobs, not large ones, get the job-size factor's points.",
     ReadWordOf<&Policy::favor_small, kYesNo>, WriteWordOf<&Policy::favor_small, kYesNo>},
    {"PriorityMaxAge", "a time; UNLIMITED for 136 years", "7-00:00:00",
     "The wait after which the age factor is 1; 0 is as soon as the job accrues age.", ReadMaxAge,
     WriteMaxAge},
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
     "The weights of what the job asks for of its partition's TRES; they may be negative.",
     ReadWeightTres, WriteWeightTres},
    {"FairShareDampeningFactor", "a number of at least 1", "1",
     "How far usage above the share is forgiven, by classic and depth_oblivious fair-share only.",
     ReadDampeningFactor, WriteDampeningFactor},
    {"PriorityFlags",
     "ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, MAX_TRES_GRES, "
     "NO_FAIR_TREE, NO_NORMAL_ALL, NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS, "
     "NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME",
     "", "Other rules for factors and billing; MAX_TRES_GRES beats MAX_TRES.", ReadPriorityFlags,
     WritePriorityFlags},
    {"FairShareAlgorithm", "fair_tree, classic, depth_oblivious or linear", "fair_tree",
     "The fair-share algorithm; by default PriorityFlags selects it.", ReadFairShareAlgorithm,
     WriteFairShareAlgorithm},
    {"FairTreeTies", "merge or slurm", "merge",
     "What becomes of siblings of equal LevelFS: the documented rule, or what slurmctld does.",
     ReadWordOf<&Policy::fair_tree_ties, kFairTreeTies>,
     WriteWordOf<&Policy::fair_tree_ties, kFairTreeTies>},
    {"PreemptType", "preempt/none, preempt/qos or preempt/partition_prio", "preempt/none",
     "What decides whether a job can preempt: nothing, its QOS or its partition.", ReadPreemptType,
     WritePreemptType},
    {"PreemptMode", kPreemptModes, "OFF",
     "Whether the jobs of partitions without a PreemptMode can be preempted: unless it is OFF.",
     ReadPreemptMode, WritePreemptMode},
    {"PreemptExemptTime", "a time; 0 or -1 for none", "00:00:00",
     "How long jobs run at least before they are preempted; that of a QOS goes before it.",
     ReadPreemptExemptTime, WritePreemptExemptTime},
    {"PrivateData",
     "accounts, cloud, events, jobs, nodes, partitions, reservations, usage, users, all or none",
     "", "What users are not shown of each other: see docs/security.md.", ReadPrivateData,
     WritePrivateData},
    {"SlurmctldParameters", "rl_enable, rl_bucket_size=N and rl_refill_rate=N among its words", "",
     "The limit on the rate of requests: a bucket of 30 tokens, refilled by 2 a second.",
     ReadSlurmctldParameters, WriteSlurmctldParameters, false},
    {"PrioritySiteFactorPlugin", "host:port of a SiteFactor service", "",
     "The site's own gRPC service that is asked for site factors; site_factor/none is none.",
     ReadSiteFactorPlugin, WriteSiteFactorPlugin},
    {"PrioritySiteFactorParameters", "words for the service, and timeout=SECONDS (5)", "",
     "The parameters for the SiteFactor service, and the timeout of a call.",
     ReadSiteFactorParameters, WriteSiteFactorParameters},
    {"AccountingStorageEnforce",
     "associations, limits, qos, safe, nojobs, nosteps, wckeys, all or none", "",
     "Which of the association data's limits bite; where it is not given, they do as under limits.",
     ReadEnforcement, WriteEnforcement},
    {"EnforcePartLimits", "NO, ANY or ALL", "",
     "Whether jobs that fit none (ANY) or not all (ALL) of their partitions are refused.",
     ReadPartLimits, WritePartLimits},
    {"PurgeJobAfter",
     "a number of months or an age such as 48hours, 30days or 12months, or INFINITE", "INFINITE",
     "How long usage records are kept one by one.", ReadPurgeJobAfter, WritePurgeJobAfter},
    {"UsageReplacement", "recorder or collectors", "recorder",
     "Who may replace a usage record: the principal that recorded it, or any collector.",
     ReadWordOf<&Policy::collectors_replace, kReplacing>,
     WriteWordOf<&Policy::collectors_replace, kReplacing>},
    {"UsageHeadroom", "a number above 0, or 0 or UNLIMITED for no bound", "10",
     "How many times what the cluster has a usage record may use; more is rejected.",
     ReadUsageHeadroom, WriteUsageHeadroom},
    {"TimeZone", "an IANA time zone such as Europe/Berlin", "the server's",
     "The time zone of calendar resets and reports.", ReadTimeZone, WriteTimeZone},
    {"Clock", "real or manual", "real",
     "Whether time is real, or set by Recalculate and never decreases.",
     ReadWordOf<&Policy::clock, kClocks>, WriteWordOf<&Policy::clock, kClocks>},
};

}  // namespace

absl::Span<const PolicyParameter> PolicyParameterTable() { return kTable; }

const PolicyParameter* FindPolicyParameter(absl::string_view name) {
  const auto found = absl::c_find_if(kTable, [name](const PolicyParameter& parameter) {
    return absl::EqualsIgnoreCase(parameter.name, name);
  });
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace priorityd::slurm
