#include "client/prioctl/jobs/squeue.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/jobs/applied_names.h"
#include "client/prioctl/jobs/job_selection.h"
#include "client/prioctl/jobs/job_text.h"
#include "client/prioctl/jobs/print_json.h"
#include "client/prioctl/jobs/squeue_fields.h"
#include "client/prioctl/jobs/staleness.h"
#include "engine/slurm/words/array_task_ids.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr char kDefaultFormat[] = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr char kLongFormat[] = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr char kStartFormat[] = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
constexpr char kForecastFormat[] =
    "JobArrayID:.18 ,Partition:.9 ,Name:.8 ,UserName:.8 ,StateCompact:.2 ,ForecastEarliest:.19 ,"
    "ForecastMedian:.19 ,ForecastLatest:.19 ,NumNodes:.6 ,ReasonList:";
constexpr char kDefaultSort[] = "P,t,-p";
constexpr char kStartSort[] = "S,-p";
constexpr char kForecastSort[] = "-p";
// Lines of one array.
constexpr size_t kMostTasks = 100'000;
// Of a plan.
// States of Slurm's that no tracked job has.
constexpr const char* kOtherStates[] = {
    "BF",  "BOOT_FAIL",     "CF", "CONFIGURING", "CG", "COMPLETING",   "DL", "DEADLINE",
    "OOM", "OUT_OF_MEMORY", "RQ", "REQUEUED",    "RS", "RESIZING",     "RV", "REVOKED",
    "SE",  "SPECIAL_EXIT",  "ST", "STOPPED",     "SI", "SIGNALING",    "SO", "STAGE_OUT",
    "RH",  "REQUEUE_HOLD",  "RF", "REQUEUE_FED", "RD", "RESV_DEL_HOLD"};

std::string CallingUser() {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : absl::StrCat(getuid());
}

// `all` is every state.
absl::StatusOr<std::vector<v1::JobState>> StatesOf(const std::vector<std::string>& words) {
  std::vector<v1::JobState> states;
  for (const std::string& word : words) {
    if (absl::EqualsIgnoreCase(word, "all")) return EveryState();
    bool known = absl::c_any_of(
        kOtherStates, [&](const char* other) { return absl::EqualsIgnoreCase(word, other); });
    for (int state = v1::JOB_STATE_PENDING; state <= v1::JOB_STATE_NODE_FAIL; ++state) {
      const auto value = static_cast<v1::JobState>(state);
      if (!absl::EqualsIgnoreCase(word, StateText(value)) &&
          !absl::EqualsIgnoreCase(word, ShortStateText(value))) {
        continue;
      }
      states.push_back(value);
      known = true;
    }
    if (known) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--states: got \"", word,
                     "\", want PENDING, RUNNING, SUSPENDED, their short forms, or all"));
  }
  // None of those that there are.
  if (!words.empty() && states.empty()) states.push_back(v1::JOB_STATE_UNSPECIFIED);
  return states;
}

bool Names(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || absl::c_linear_search(wanted, name);
}

// Filters that the service does not have.
struct Filter {
  std::vector<v1::JobState> states;
  std::vector<JobName> jobs;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  bool pending_only = false;

  bool Passes(const v1::TrackedJob& tracked) const {
    const v1::Job& job = tracked.job();
    if (pending_only && job.state() != v1::JOB_STATE_PENDING) return false;
    if (!states.empty() && !absl::c_linear_search(states, job.state())) return false;
    // An older service neither filters by QOS nor returns the QOS that apply.
    const auto& applied = tracked.qos().empty() ? job.qos() : tracked.qos();
    const auto is_wanted = [&](const std::string& name) { return Names(qos, name); };
    if (!qos.empty() && !absl::c_any_of(applied, is_wanted)) return false;
    if (!Names(names, job.name())) return false;
    return jobs.empty() ||
           absl::c_any_of(jobs, [&](const JobName& name) { return name.Matches(job); });
  }
};

absl::StatusOr<Filter> FilterOf(const SqueueOptions& options) {
  Filter filter;
  auto states = StatesOf(options.states);
  if (!states.ok()) return states.status();
  filter.states = *std::move(states);
  if (!options.jobs.empty()) {
    auto jobs = ParseJobNames(options.jobs);
    if (!jobs.ok())
      return absl::InvalidArgumentError(absl::StrCat("--jobs: ", jobs.status().message()));
    filter.jobs = *std::move(jobs);
  }
  filter.qos = options.qos;
  filter.names = options.names;
  filter.pending_only = options.start || options.forecast;
  return filter;
}

v1::ListJobsRequest RequestOf(const SqueueOptions& options, const std::vector<v1::JobState>& states,
                              bool with_forecasts) {
  v1::ListJobsRequest request;
  request.set_with_ranking(true);
  request.set_with_forecasts(with_forecasts);
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  if (options.me) request.add_users(CallingUser());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  request.mutable_qos()->Add(options.qos.begin(), options.qos.end());
  for (const v1::JobState state : states) request.add_states(state);
  return request;
}

absl::StatusOr<std::vector<SqueueColumn>> ColumnsOf(const SqueueOptions& options) {
  if (!options.long_format.empty()) return ParseLongFormat(options.long_format);
  if (!options.format.empty()) return ParseFormat(options.format);
  if (options.forecast) return ParseLongFormat(kForecastFormat);
  if (options.start) return ParseFormat(kStartFormat);
  return ParseFormat(options.long_listing ? kLongFormat : kDefaultFormat);
}

std::string SortOf(const SqueueOptions& options) {
  if (!options.sort.empty()) return options.sort;
  if (options.forecast) return kForecastSort;
  return options.start ? kStartSort : kDefaultSort;
}

// A row of each partition, where it is asked for.
void AddRows(const SqueueOptions& options, const v1::TrackedJob& job, absl::Time now,
             std::vector<SqueueRow>* rows) {
  if (!options.by_partition || job.job().partitions_size() < 2) {
    rows->push_back({job, now});
    return;
  }
  for (const std::string& partition : job.job().partitions()) {
    SqueueRow& row = rows->emplace_back(SqueueRow{job, now});
    row.job.mutable_job()->clear_partitions();
    row.job.mutable_job()->add_partitions(partition);
  }
}

void WarnOfMissingTasks(const v1::Job& array, std::ostream& err) {
  const auto all = slurm::CountArrayTasks(array.array_task_ids());
  err << "warning: --array: job " << Visible(array.job_id()) << " has " << all.value_or(0)
      << " tasks, and more than " << kMostTasks << " of them are to be listed; only " << kMostTasks
      << " are, -j " << Visible(array.job_id()) << "_[FIRST-LAST] lists others\n";
}

// Tasks that -j names, else all.
void AddTasks(const SqueueOptions& options, const Filter& filter, const v1::TrackedJob& job,
              absl::Time now, std::vector<SqueueRow>* rows, std::ostream& err) {
  if (!options.by_task || job.job().array_task_ids().empty()) {
    AddRows(options, job, now, rows);
    return;
  }
  v1::TrackedJob one = job;
  one.mutable_job()->set_array_job_id(job.job().job_id());
  std::vector<uint32_t> tasks = SelectedTasks(filter.jobs, job.job(), kMostTasks + 1);
  if (tasks.size() > kMostTasks) {
    WarnOfMissingTasks(job.job(), err);
    tasks.resize(kMostTasks);
  }
  for (const uint32_t task : tasks) {
    one.mutable_job()->set_array_task_id(task);
    AddRows(options, one, now, rows);
  }
}

// Of -j.
void WarnOfUnlistedNames(const std::vector<JobName>& names, const v1::ListJobsResponse& jobs,
                         std::ostream& err) {
  for (const JobName& name : names) {
    if (!name.job_name.empty()) continue;
    const auto is_listed = [&](const std::string&) {
      return absl::c_any_of(jobs.jobs(), [&](const auto& job) { return name.Matches(job.job()); });
    };
    WarnOfUnlistedJobs({name.text}, is_listed, "48,49,50 or 48_[1-3]", err);
  }
}

// By job_id, as the policy plans. Empty if the service knows no nodes and none are described.
using Plans = std::map<std::string, v1::PlannedStart>;
absl::StatusOr<Plans> Plan(const SqueueOptions& options, const client::PriorityClient& client) {
  Plans plans;
  if (!options.start) return plans;
  v1::PlanStartsRequest request;
  request.mutable_tracked();
  if (options.description.has_value()) *request.mutable_description() = *options.description;
  absl::StatusOr<v1::PlanStartsResponse> response = client.PlanStarts(std::move(request));
  if (absl::IsFailedPrecondition(response.status())) return plans;
  if (!response.ok()) return response.status();
  for (v1::PlannedStart& start : *response->mutable_starts()) {
    plans[start.job_id()] = std::move(start);
  }
  return plans;
}

}  // namespace

absl::Status Squeue(const SqueueOptions& options, const client::PriorityClient& client,
                    absl::Time now, std::ostream& out, std::ostream& err) {
  const absl::StatusOr<Filter> filter = FilterOf(options);
  if (!filter.ok()) return filter.status();
  const absl::StatusOr<std::vector<SqueueColumn>> columns = ColumnsOf(options);
  if (!columns.ok()) return columns.status();
  std::vector<SqueueRow> rows;
  if (absl::Status s = SortRows(SortOf(options), &rows); !s.ok()) return s;
  const bool with_forecasts =
      options.forecast || absl::c_any_of(*columns, [](const SqueueColumn& column) {
        return column.field != nullptr && NeedsForecast(*column.field);
      });
  absl::StatusOr<v1::ListJobsResponse> jobs =
      client.ListAllJobs(RequestOf(options, filter->states, with_forecasts));
  if (!jobs.ok()) return jobs.status();
  const absl::StatusOr<Plans> plans = Plan(options, client);
  if (!plans.ok()) return plans.status();
  WarnOfUnlistedNames(filter->jobs, *jobs, err);
  auto* listed = jobs->mutable_jobs();
  listed->erase(std::remove_if(listed->begin(), listed->end(),
                               [&](const v1::TrackedJob& job) { return !filter->Passes(job); }),
                listed->end());
  if (options.json) {
    jobs->set_total(static_cast<uint32_t>(listed->size()));
    return PrintJson(*jobs, out);
  }
  ShowApplied(&*jobs);
  WarnOfStaleness(jobs->snapshot(), err);
  for (const v1::TrackedJob& job : *listed) AddTasks(options, *filter, job, now, &rows, err);
  for (SqueueRow& row : rows) {
    const auto plan = plans->find(row.job.job().job_id());
    if (plan != plans->end()) row.planned = plan->second;
  }
  if (absl::Status s = SortRows(SortOf(options), &rows); !s.ok()) return s;
  if (options.long_listing) {
    out << absl::FormatTime("%a %b %d %H:%M:%S %Y", now, absl::LocalTimeZone()) << '\n';
  }
  if (options.header) out << Line(*columns, nullptr) << '\n';
  for (const SqueueRow& row : rows) out << Line(*columns, &row) << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::jobs
