#include "engine/slurm/conf/unused_words.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::slurm {
namespace {

using Place = ConfWordPlace;

constexpr UnusedClass kLimits = UnusedClass::kLimits;
constexpr UnusedClass kNumbers = UnusedClass::kNumbers;
constexpr UnusedClass kNone = UnusedClass::kNoConsequence;

constexpr UnusedWord kUnusedWords[] = {
    {Place::kFile, kLimits, "BurstBufferType",
     "Jobs wait until their burst buffers are filled; here the frontend holds them."},
    {Place::kFile, kLimits, "JobSubmitPlugins",
     "Plugins change or refuse jobs as they are submitted; here the frontend does."},
    {Place::kFile, kLimits, "MaxBatchRequeue", "Jobs that are requeued more often are held.", "5"},
    {Place::kFile, kLimits, "MaxMemPerNode",
     "Jobs with more memory on a node are refused; here MaxMemPerNode of the partitions acts."},
    {Place::kFile, kLimits, "MaxTasksPerNode", "Jobs with more tasks on a node are refused.",
     "512"},
    {Place::kFile, kLimits, "MCSPlugin",
     "Jobs of different labels do not share nodes, and jobs without a label can be refused.",
     "mcs/none"},
    {Place::kNode, kNumbers, "CPUSpecList",
     "These CPUs do not count for jobs; use CoreSpecCount, which is subtracted here too."},
    {Place::kNode, kLimits, "MemSpecLimit", "Jobs cannot use this memory of the node."},
    {Place::kNode, kLimits, "RestrictedCoresPerGPU",
     "Jobs without GPUs cannot use these cores of the node."},
    {Place::kPartition, kLimits, "AllocNodes",
     "Jobs that are submitted on other hosts are refused; here the frontend knows the host.",
     "ALL"},
    {Place::kPartition, kLimits, "Alternate",
     "Jobs go to this partition while the state of theirs refuses them; here they are refused."},
    {Place::kPartition, kLimits, "MaxCPUsPerSocket", "Jobs get at most so many CPUs of a socket."},

    {Place::kFile, kNone,
     "AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost "
     "AccountingStorageLoc AccountingStorageParameters AccountingStoragePass AccountingStoragePort "
     "AccountingStorageType AccountingStorageUser AccountingStoreFlags AccountingStoreJobComment "
     "DefaultStorageHost DefaultStorageLoc DefaultStoragePass DefaultStoragePort "
     "DefaultStorageType DefaultStorageUser JobCompHost JobCompLoc JobCompParams JobCompPass "
     "JobCompPassScript JobCompPort JobCompType JobCompUser MaxDBDMsgs TrackWCKey",
     "Where accounting is stored, and what of it; here PostgreSQL has the usage records."},
    {Place::kFile, kNone, "AccountingStorageTRES",
     "Which TRES are accounted; here every TRES of a record is."},
    {Place::kFile, kNone,
     "AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInfinibandType "
     "AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType ExtSensorsFreq "
     "ExtSensorsType JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType MetricsType",
     "What is measured of jobs and nodes."},
    {Place::kFile, kNone,
     "AuthAltParameters AuthAltTypes AuthInfo AuthType CertgenParameters CertgenType "
     "CertmgrParameters CertmgrType CredType CryptoType HashPlugin JobCredentialPrivateKey "
     "JobCredentialPublicCertificate SchedulerAuth SlurmdUser SlurmUser TLSParameters TLSType "
     "UsePAM",
     "How Slurm's programs prove who they are; here docs/security.md."},
    {Place::kFile, kNone,
     "BackupAddr BackupController BcastExclude BcastParameters CommunicationParameters ControlAddr "
     "ControlMachine DynAllocPort EioTimeout FederationParameters FrontendAddr FrontendName "
     "GetEnvTimeout HttpParserType KeepAliveTime MessageTimeout MsgAggregationParams RoutePlugin "
     "SbcastParameters SchedulerPort SlurmctldAddr SlurmctldHost SlurmctldPort "
     "SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldTimeout SlurmdPort SlurmdTimeout "
     "SrunPortRange TCPTimeout TreeWidth UrlParserType",
     "The hosts of Slurm's programs, and how they communicate."},
    {Place::kFile, kNone,
     "BatchStartTimeout CompleteWait Epilog EpilogMsgTime EpilogSlurmctld EpilogTimeout "
     "InactiveLimit InteractiveStepOptions JobCheckpointDir JobContainerType JobFileAppend "
     "KillOnBadExit KillWait LaunchParameters LaunchType MaxStepCount MpiDefault "
     "MpiParams NamespaceType OverTimeLimit PrEpParameters PrEpPlugins ProctrackType Prolog "
     "PrologEpilogTimeout PrologFlags PrologSlurmctld PrologTimeout PropagatePrioProcess "
     "PropagateResourceLimits PropagateResourceLimitsExcept RequeueExit RequeueExitHold "
     "SallocDefaultCommand SrunEpilog SrunProlog TaskEpilog TaskPlugin TaskPluginParam TaskProlog "
     "UnkillableStepProgram UnkillableStepTimeout WaitTime",
     "How jobs and steps run and end, which is the executor's."},
    {Place::kFile, kNone,
     "AllowSpecResourcesUsage BurstBufferParameters CacheGroups CheckpointType ChosLoc "
     "CoreSpecPlugin CpuFreqDef CpuFreqGovernors DownNodes FastSchedule GpuFreqDef GresTypes "
     "HealthCheckInterval HealthCheckNodeState HealthCheckProgram Layouts MaxNodeCount "
     "MCSParameters MemLimitEnforce NodeFeaturesPlugins RebootProgram ReturnToService SelectType "
     "SelectTypeParameters SwitchParameters SwitchType TmpFS TopologyParam TopologyPlugin "
     "VSizeFactor",
     "The nodes, and which parts of them a job gets, which the executor decides; usage records "
     "have what it got."},
    {Place::kFile, kNone,
     "PowerParameters PowerPlugin ResumeFailProgram ResumeProgram ResumeRate ResumeTimeout "
     "SuspendExcNodes SuspendExcParts SuspendExcStates SuspendProgram SuspendRate SuspendTime "
     "SuspendTimeout",
     "Which nodes are powered off, and when."},
    {Place::kFile, kNone,
     "DataParserParameters DebugFlags LogTimeFormat MailDomain MailProg PluginDir PlugStackConfig "
     "SlurmctldDebug SlurmctldLogFile SlurmctldPidFile SlurmctldPlugstack SlurmctldSyslogDebug "
     "SlurmdDebug SlurmdLogFile SlurmdParameters SlurmdPidFile SlurmdPlugstack SlurmdSpoolDir "
     "SlurmdSyslogDebug SlurmSchedLogFile SlurmSchedLogLevel StateSaveLocation",
     "The files, logs and mails of Slurm's programs."},
    {Place::kFile, kNone, "CliFilterParameters CliFilterPlugins ScronParameters",
     "Acts in sbatch, salloc, srun and scrontab, before a job is sent."},
    {Place::kFile, kNone, "FirstJobId MaxJobId ReconfigFlags",
     "The ids of jobs, and what a reconfiguration keeps."},
    {Place::kFile, kNone, "GroupUpdateForce GroupUpdateTime",
     "When slurmctld reads groups again; here --group_file is read when it changes."},
    {Place::kFile, kNone, "PriorityParameters", "An argument of a site's own priority plugin."},
    {Place::kFile, kNone, "ResvEpilog ResvOverRun ResvProlog", "What happens as reservations end."},
    {Place::kFile, kNone, "SchedulerRootFilter SchedulerTimeSlice",
     "How slurmctld's scheduler runs, and time slices of PreemptMode=GANG."},

    {Place::kNode, kNone, "BcastAddr NodeAddr NodeHostname Port", "The address of the node."},
    {Place::kNode, kNone, "CpuBind GresConf Parameters Topology TRESWeights Weight",
     "How tasks are bound, and which nodes are preferred."},
    {Place::kNode, kNone, "Reason TmpDisk", "A remark, and the size of the local disk."},
    {Place::kNode, kNone, "SuspendTime", "When the node is powered off.", ""},

    {Place::kPartition, kNone,
     "CpuBind Exclusive ExclusiveTopo ExclusiveUser LLN OverSubscribe SelectTypeParameters Shared "
     "Topology",
     "Which parts of nodes a job gets, and who shares them, which the executor decides; usage "
     "records have what it got."},
    {Place::kPartition, kNone, "Hidden", "Users do not see the partition in Slurm's tools."},
    {Place::kPartition, kNone, "OverTimeLimit",
     "How long jobs can exceed their time limits; the executor ends them."},
    {Place::kPartition, kNone, "PowerDownOnIdle ResumeTimeout SuspendTime SuspendTimeout",
     "When the nodes are powered off."},
};

constexpr UnusedValueWord kUnusedValueWords[] = {
    {"AccountingStorageEnforce", kLimits, "wckeys", "Jobs without a valid wckey are refused."},
    {"AccountingStorageEnforce", kNone, "nojobs nosteps",
     "Jobs and steps are not written to slurmdbd."},
    {"DependencyParameters", kLimits, "kill_invalid_depend",
     "Jobs whose dependency can no longer be met are cancelled; here they wait with reason "
     "DependencyNeverSatisfied."},
    {"DependencyParameters", kNone, "*", "How slurmctld tests dependencies."},
    {"PreemptMode", kNone, "GANG", "Jobs on the same nodes take turns, which is the executor's."},
    {"PreemptParameters", kNone, "reorder_count strict_order",
     "How hard slurmctld tries to preempt few jobs; here the search finds the fewest."},
    {"PreemptParameters", kNone, "*", "How a preempted job is ended, which is the executor's."},
    {"PrivateData", kNone, "cloud nodes partitions",
     "Users do not see these, of which priorityd has at most the partitions' settings."},
    {"SchedulerParameters", kLimits, "assoc_limit_stop",
     "A job that waits for a limit of its association blocks those behind it."},
    {"SchedulerParameters", kLimits,
     "bf_job_part_count_reserve bf_max_job_array_resv bf_max_job_start bf_max_job_user_part "
     "bf_min_age_reserve bf_min_prio_reserve bf_one_resv_per_job bf_running_job_reserve "
     "bf_busy_nodes bf_licenses",
     "For which waiting jobs, and how many, backfill keeps resources free."},
    {"SchedulerParameters", kLimits, "max_array_tasks",
     "Arrays with more tasks are refused; here an array has at most 4,000,000."},
    {"SchedulerParameters", kLimits, "preempt_youngest_first",
     "Jobs that started last are preempted first; use PreemptParameters=youngest_first."},
    {"SchedulerParameters", kLimits, "max_script_size max_submit_line_size",
     "Jobs with larger scripts or commands are refused."},
    {"SchedulerParameters", kLimits, "reduce_completing_frag",
     "Jobs wait while nodes of others complete."},
    {"SchedulerParameters", kNone, "*",
     "How often, how long and with which nodes slurmctld's scheduler works."},
    {"SlurmctldParameters", kLimits,
     "rl_bucket_size rl_enable rl_log_freq rl_refill_period rl_refill_rate rl_table_size",
     "Limits the rate of requests; here the auth file (--auth_file) does, by the same words."},
    {"SlurmctldParameters", kLimits, "max_powered_nodes",
     "Jobs wait while so many nodes are powered on."},
    {"SlurmctldParameters", kNone, "*", "How slurmctld itself works."},
};

// Words with an effect, of parameters whose list has `*`.
struct UsedWords {
  absl::string_view parameter;
  absl::string_view names;
};
constexpr UsedWords kUsedWords[] = {
    {"SchedulerParameters",
     "bf_max_job_assoc bf_max_job_part bf_max_job_test bf_max_job_user bf_window max_job_bf"},
    {"PreemptParameters", "min_exempt_priority reclaim_licenses youngest_first"},
};

bool HasWord(absl::string_view names, absl::string_view name) {
  return absl::c_any_of(absl::StrSplit(names, ' '), [name](absl::string_view known) {
    return absl::EqualsIgnoreCase(known, name);
  });
}

const UnusedValueWord* FindValueWord(absl::string_view parameter, absl::string_view name) {
  for (const UsedWords& used : kUsedWords) {
    if (absl::EqualsIgnoreCase(parameter, used.parameter) && HasWord(used.names, name)) {
      return nullptr;
    }
  }
  for (const UnusedValueWord& word : kUnusedValueWords) {
    if (!absl::EqualsIgnoreCase(word.parameter, parameter)) continue;
    if (word.names == "*" || HasWord(word.names, name)) return &word;
  }
  return nullptr;
}

}  // namespace

absl::Span<const UnusedWord> UnusedWords() { return kUnusedWords; }

const UnusedWord* FindUnusedWord(ConfWordPlace place, absl::string_view name) {
  static const auto* const by_name = [] {
    auto* const words = new absl::flat_hash_map<std::pair<Place, std::string>, const UnusedWord*>;
    for (const UnusedWord& word : kUnusedWords) {
      for (const absl::string_view known : absl::StrSplit(word.names, ' ')) {
        words->emplace(std::pair(word.place, absl::AsciiStrToLower(known)), &word);
      }
    }
    return words;
  }();
  const auto found = by_name->find(std::pair(place, absl::AsciiStrToLower(name)));
  return found == by_name->end() ? nullptr : found->second;
}

absl::string_view SpelledName(const UnusedWord& word, absl::string_view name) {
  for (const absl::string_view known : absl::StrSplit(word.names, ' ')) {
    if (absl::EqualsIgnoreCase(known, name)) return known;
  }
  return "";
}

absl::Span<const UnusedValueWord> UnusedValueWords() { return kUnusedValueWords; }

std::vector<UnusedSetting> UnusedWordsOf(const ConfPair& pair) {
  std::vector<UnusedSetting> unused;
  if (IsIdleValue(pair.value)) return unused;
  for (absl::string_view text : absl::StrSplit(pair.value, ',', absl::SkipWhitespace())) {
    text = absl::StripAsciiWhitespace(absl::StripPrefix(text, "="));
    const absl::string_view name = text.substr(0, text.find('='));
    const UnusedValueWord* word = FindValueWord(pair.key, name);
    if (word == nullptr) continue;
    unused.push_back({.place = pair.place.Where(),
                      .name = absl::StrCat(word->parameter, "=", name),
                      .value = std::string(text),
                      .unused_class = word->unused_class,
                      .effect = std::string(word->effect)});
  }
  return unused;
}

}  // namespace priorityd::slurm
