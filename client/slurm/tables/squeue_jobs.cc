#include "client/slurm/tables/squeue_jobs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/slurm/tables/slurm_rows.h"
#include "client/timestamp.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

struct StateName {
  absl::string_view state;
  absl::string_view st;
  v1::JobState means;
};

// UNSPECIFIED = the job has ended, or another cluster starts it.
constexpr StateName kStates[] = {{"PENDING", "PD", v1::JOB_STATE_PENDING},
                                 {"RUNNING", "R", v1::JOB_STATE_RUNNING},
                                 {"SUSPENDED", "S", v1::JOB_STATE_SUSPENDED},
                                 {"STOPPED", "ST", v1::JOB_STATE_SUSPENDED},
                                 {"CONFIGURING", "CF", v1::JOB_STATE_RUNNING},
                                 {"COMPLETING", "CG", v1::JOB_STATE_RUNNING},
                                 {"STAGE_OUT", "SO", v1::JOB_STATE_RUNNING},
                                 {"SIGNALING", "SI", v1::JOB_STATE_RUNNING},
                                 {"RESIZING", "RS", v1::JOB_STATE_RUNNING},
                                 {"REQUEUED", "RQ", v1::JOB_STATE_PENDING},
                                 {"REQUEUE_HOLD", "RH", v1::JOB_STATE_PENDING},
                                 {"REQUEUE_FED", "RF", v1::JOB_STATE_PENDING},
                                 {"SPECIAL_EXIT", "SE", v1::JOB_STATE_PENDING},
                                 {"RESV_DEL_HOLD", "RD", v1::JOB_STATE_PENDING},
                                 {"COMPLETED", "CD", v1::JOB_STATE_UNSPECIFIED},
                                 {"CANCELLED", "CA", v1::JOB_STATE_UNSPECIFIED},
                                 {"FAILED", "F", v1::JOB_STATE_UNSPECIFIED},
                                 {"TIMEOUT", "TO", v1::JOB_STATE_UNSPECIFIED},
                                 {"PREEMPTED", "PR", v1::JOB_STATE_UNSPECIFIED},
                                 {"NODE_FAIL", "NF", v1::JOB_STATE_UNSPECIFIED},
                                 {"BOOT_FAIL", "BF", v1::JOB_STATE_UNSPECIFIED},
                                 {"DEADLINE", "DL", v1::JOB_STATE_UNSPECIFIED},
                                 {"OUT_OF_MEMORY", "OOM", v1::JOB_STATE_UNSPECIFIED},
                                 {"REVOKED", "RV", v1::JOB_STATE_UNSPECIFIED}};

absl::StatusOr<v1::JobState> StateOf(const SlurmRow& row) {
  const std::string word = row.Text({"STATE", "job_state", "ST"});
  for (const StateName& known : kStates) {
    if (word == known.state || word == known.st) return known.means;
  }
  return row.Violation("STATE", word, "a state of a job, such as PENDING or PD");
}

// `19_[0-5%2]` is an array, `20_4` a task of one.
absl::Status SetId(const SlurmRow& row, v1::Job* job) {
  std::string id = row.Text({"JOBID", "job_id"});
  if (id.empty() || id[0] == '_') return row.Violation("JOBID", id, "the job's id");
  if (const std::string tasks = row.Text({"array_task_string"}); !tasks.empty()) {
    id = absl::StrCat(id, "_[", tasks, "]");
  } else {
    const auto task = row.Number({"array_task_id"});
    if (!task.ok()) return task.status();
    const auto array = row.NumberOrZero({"array_job_id"});
    if (!array.ok()) return array.status();
    if (task->has_value() && *array > 0) id = absl::StrFormat("%.0f_%.0f", *array, **task);
  }
  const std::vector<std::string> parts = absl::StrSplit(id, absl::MaxSplits('_', 1));
  job->set_job_id(id);
  if (parts.size() < 2) return absl::OkStatus();
  uint32_t task = 0;
  if (absl::SimpleAtoi(parts[1], &task)) {
    job->set_array_job_id(parts[0]);
    job->set_array_task_id(task);
    return absl::OkStatus();
  }
  if (absl::StrContains(id, "...")) {
    return row.Violation("JOBID", id, "all task ids: run squeue with SLURM_BITSTR_LEN=0");
  }
  job->set_job_id(parts[0]);
  job->set_array_task_ids(std::string(absl::StripSuffix(absl::StripPrefix(parts[1], "["), "]")));
  return absl::OkStatus();
}

absl::Status SetTimes(const SlurmRow& row, absl::TimeZone zone, v1::Job* job) {
  const auto submit = row.Moment({"SUBMIT_TIME", "submit_time"}, zone);
  if (!submit.ok()) return submit.status();
  if (submit->has_value()) *job->mutable_submit_time() = client::ToTimestamp(**submit);
  const auto start = row.Moment({"START_TIME", "start_time"}, zone);
  if (!start.ok()) return start.status();
  const auto eligible = row.Moment({"ELIGIBLE_TIME", "eligible_time"}, zone);
  if (!eligible.ok()) return eligible.status();
  const bool begins_later = row.Text({"REASON", "state_reason"}) == "BeginTime";
  if (eligible->has_value()) {
    *job->mutable_eligible_time() = client::ToTimestamp(**eligible);
  } else if (begins_later && start->has_value()) {
    *job->mutable_eligible_time() = client::ToTimestamp(**start);
  }
  const auto accrue = row.Moment({"ACCRUE_TIME", "accrue_time"}, zone);
  if (!accrue.ok()) return accrue.status();
  if (accrue->has_value()) *job->mutable_accrue_time() = client::ToTimestamp(**accrue);
  // For a pending job it is Slurm's expected time.
  if (job->state() != v1::JOB_STATE_PENDING && start->has_value()) {
    *job->mutable_start_time() = client::ToTimestamp(**start);
  }
  return absl::OkStatus();
}

// --json has minutes.
absl::Status SetTimeLimit(const SlurmRow& row, v1::Job* job) {
  const std::string text = row.Text({"TIME_LIMIT", "time_limit"});
  if (text.empty() || absl::EqualsIgnoreCase(text, "Partition_Limit")) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> limit = slurm::ParseTimeString(text);
  if (!limit.ok()) return row.Violation("TIME_LIMIT", text, "a time, such as 1-12:00:00");
  if (*limit == absl::InfiniteDuration()) return absl::OkStatus();
  job->mutable_time_limit()->set_seconds(absl::ToInt64Seconds(*limit));
  return absl::OkStatus();
}

// A column of squeue -o, and the value that is unknown without it.
struct CountedColumn {
  std::initializer_list<absl::string_view> names;
  absl::string_view letter;
  absl::string_view unknown;
};
constexpr CountedColumn kCountedColumns[] = {
    {{"ACCOUNT"}, "%a", "the account: the user's default account is taken"},
    {{"PARTITION"}, "%P", "the partition: the default partition is taken"},
    {{"QOS"}, "%q", "the QOS: the default QOS is taken"},
    {{"TIME_LIMIT"}, "%l", "the time limit: the partition's is taken"},
    {{"NODES"}, "%D", "the number of nodes"},
    {{"CPUS"}, "%C", "the number of CPUs"},
    {{"MIN_MEMORY", "TRES_ALLOC"}, "%m", "memory"},
    {{"TRES_PER_NODE", "GRES", "TRES_ALLOC"}, "%b", "GPUs and other GRES"},
    {{"SUBMIT_TIME"}, "%V", "the time of submission, and with it the age"},
    {{"DEPENDENCY"}, "%E", "dependencies"},
    {{"NICE"}, "%y", "the nice value"},
    {{"REASON"}, "%r", "holds"},
};

void AddMissingCounts(const SlurmRow& row, TableLosses* losses) {
  for (const CountedColumn& column : kCountedColumns) {
    if (row.HasColumn(column.names)) continue;
    losses->Add(absl::StrCat("no column ", *column.names.begin(), " (", column.letter,
                             "), so nothing is known of ", column.unknown),
                row.place());
  }
}

// MIN_MEMORY is for a node or for a CPU, without saying which.
absl::Status AddMemory(const SlurmRow& row, TableLosses* losses, v1::Job* job) {
  const std::string text = row.Text({"MIN_MEMORY"});
  if (text.empty()) return absl::OkStatus();
  const auto megabytes = [](int power) { return std::ldexp(1.0, 10 * (power - 2)); };
  const auto memory = slurm::ReadAmount(text, megabytes, 1e15);
  if (!memory.has_value()) return row.Violation("MIN_MEMORY", text, "MB, or such as 62.50G");
  if (*memory == 0) return absl::OkStatus();
  const double nodes = std::max(1.0, static_cast<double>(job->nodes()));
  (*job->mutable_tres())["mem"] = *memory * nodes;
  if (job->cpus() > nodes) {
    losses->Add(
        "MIN_MEMORY (%m) is of a node or of a CPU, squeue does not say which; taken as of a "
        "node, --json says it",
        row.place());
  }
  return absl::OkStatus();
}

// `gres/gpu:a100:2`, `gres:gpu:2`, `gpu:2`, of one node.
absl::Status AddGres(const SlurmRow& row, v1::Job* job) {
  const std::string text = row.Text({"TRES_PER_NODE", "GRES"});
  std::string list;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    if (!absl::ConsumePrefix(&item, "gres/")) absl::ConsumePrefix(&item, "gres:");
    absl::StrAppend(&list, list.empty() ? "" : ",", item);
  }
  const auto gres = slurm::ParseGres(absl::StrReplaceAll(list, {{"=", ":"}}));
  if (!gres.ok()) return row.Violation("TRES_PER_NODE", text, "such as gres/gpu:2");
  const double nodes = std::max(1.0, static_cast<double>(job->nodes()));
  for (const auto& [name, count] : *gres) (*job->mutable_tres())[name] = count * nodes;
  return absl::OkStatus();
}

absl::Status SetResources(const SlurmRow& row, TableLosses* losses, v1::Job* job) {
  const auto nodes = row.NumberOrZero({"NODES", "node_count"});
  if (!nodes.ok()) return nodes.status();
  if (!(*nodes >= 0 && *nodes <= UINT32_MAX)) {
    return row.Violation("NODES", absl::StrCat(*nodes), "0 to 4294967295");
  }
  job->set_nodes(static_cast<uint32_t>(*nodes));
  const auto cpus = row.NumberOrZero({"CPUS", "cpus"});
  if (!cpus.ok()) return cpus.status();
  job->set_cpus(*cpus);
  const auto tres = row.Tres({"TRES_ALLOC", "tres_alloc_str", "tres_req_str"});
  if (!tres.ok()) return tres.status();
  for (const auto& [name, count] : *tres) {
    if (name != "billing") (*job->mutable_tres())[name] = count;
  }
  if (!tres->empty()) return absl::OkStatus();
  if (absl::Status memory = AddMemory(row, losses, job); !memory.ok()) return memory;
  return AddGres(row, job);
}

// `afterok:5(unfulfilled),afternotok:6(failed)` without the parentheses.
std::string DependencyOf(const SlurmRow& row) {
  std::string text;
  bool outside = true;
  for (const char c : row.Text({"DEPENDENCY", "dependency"})) {
    if (c == '(') outside = false;
    if (outside) text.push_back(c);
    if (c == ')') outside = true;
  }
  return text;
}

absl::Status SetJob(const SlurmRow& row, absl::TimeZone zone, TableLosses* losses, v1::Job* job) {
  if (absl::Status id = SetId(row, job); !id.ok()) return id;
  job->set_user(row.Name({"USER", "user_name"}));
  job->set_account(row.Name({"ACCOUNT", "account"}));
  for (const absl::string_view name :
       absl::StrSplit(row.Name({"PARTITION", "partition"}), ',', absl::SkipEmpty())) {
    job->add_partitions(std::string(name));
  }
  if (const std::string qos = row.Text({"QOS", "qos"}); !qos.empty()) job->add_qos(qos);
  job->set_name(row.Text({"NAME", "name"}));
  job->set_dependency(DependencyOf(row));
  job->set_reservation(row.Text({"RESERVATION", "resv_name"}));
  const auto nice = row.NumberOrZero({"NICE", "nice"});
  if (!nice.ok()) return nice.status();
  job->set_nice(Whole(*nice));
  const std::string reason = row.Text({"REASON", "state_reason"});
  if (reason == "JobHeldUser") job->set_hold(v1::HOLD_USER);
  if (reason == "JobHeldAdmin") job->set_hold(v1::HOLD_ADMIN);
  if (absl::Status resources = SetResources(row, losses, job); !resources.ok()) return resources;
  if (absl::Status limit = SetTimeLimit(row, job); !limit.ok()) return limit;
  return SetTimes(row, zone, job);
}

}  // namespace

absl::StatusOr<v1::InlineJobs> ReadSqueueJobs(const std::string& name, absl::string_view content,
                                              absl::TimeZone zone,
                                              std::vector<std::string>* losses) {
  const auto rows = ReadSlurmRows(name, content, {"JOBID", "USER", "STATE/ST"});
  if (!rows.ok()) return rows.status();
  v1::InlineJobs jobs;
  TableLosses counted;
  for (const SlurmRow& row : *rows) {
    const absl::StatusOr<v1::JobState> state = StateOf(row);
    if (!state.ok()) return state.status();
    if (*state == v1::JOB_STATE_UNSPECIFIED) continue;
    v1::Job job;
    job.set_state(*state);
    if (absl::Status set = SetJob(row, zone, &counted, &job); !set.ok()) return set;
    AddMissingCounts(row, &counted);
    *jobs.add_jobs() = std::move(job);
  }
  if (losses != nullptr) *losses = counted.Lines();
  return jobs;
}

absl::StatusOr<std::map<std::string, SqueuePriority>> ReadSqueuePriorities(
    const std::string& name, absl::string_view content) {
  const auto rows = ReadSlurmRows(name, content, {"JOBID", "STATE/ST", "PRIORITY", "NICE"});
  if (!rows.ok()) return rows.status();
  std::map<std::string, SqueuePriority> priorities;
  for (const SlurmRow& row : *rows) {
    v1::Job job;
    if (absl::Status id = SetId(row, &job); !id.ok()) return id;
    const absl::StatusOr<v1::JobState> state = StateOf(row);
    if (!state.ok()) return state.status();
    std::string id_of_scontrol = job.job_id();
    if (!job.array_task_ids().empty()) {
      const std::string tasks = job.array_task_ids().substr(0, job.array_task_ids().find('%'));
      absl::StrAppend(&id_of_scontrol, "_[", tasks, "]");
    }
    const auto priority = row.NumberOrZero({"PRIORITY", "priority"});
    if (!priority.ok()) return priority.status();
    const auto nice = row.NumberOrZero({"NICE", "nice"});
    if (!nice.ok()) return nice.status();
    priorities[job.job_id()] = {*state == v1::JOB_STATE_PENDING, Whole(*priority), Whole(*nice),
                                std::move(id_of_scontrol)};
  }
  return priorities;
}

}  // namespace priorityd::tables
