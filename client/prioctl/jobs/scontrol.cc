#include "client/prioctl/jobs/scontrol.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/applied_names.h"
#include "client/prioctl/jobs/assoc_mgr.h"
#include "client/prioctl/jobs/entity_words.h"
#include "client/prioctl/jobs/job_selection.h"
#include "client/prioctl/jobs/job_sheet.h"
#include "client/prioctl/jobs/job_text.h"
#include "client/prioctl/jobs/job_update.h"
#include "client/prioctl/jobs/partition_verbs.h"
#include "client/prioctl/jobs/print_json.h"
#include "client/prioctl/jobs/reservation_verbs.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

// One command line at work.
class Command {
 public:
  Command(const ScontrolOptions& options, const client::PriorityClient& client, absl::Time now,
          std::ostream& out, std::ostream& err, int* exit_code)
      : options_(options),
        client_(client),
        now_(now),
        out_(out),
        err_(err),
        exit_code_(exit_code),
        partitions_(options, client, out, err, exit_code),
        reservations_(options, client, now, out, err, exit_code) {}

  absl::Status Hold(v1::Hold hold);
  absl::Status HoldByAdministrator() { return Hold(v1::HOLD_ADMIN); }
  absl::Status HoldByUser() { return Hold(v1::HOLD_USER); }
  absl::Status Release();
  absl::Status Top();
  absl::Status Update();
  absl::Status Create() {
    return IsOfReservation() ? reservations_.Create() : partitions_.Create();
  }
  absl::Status Delete() {
    return IsOfReservation() ? reservations_.Delete() : partitions_.Delete();
  }
  absl::Status Show();

 private:
  using Jobs = std::vector<v1::TrackedJob>;
  // Upserts of one set of fields.
  using Batches = std::map<std::vector<std::string>, std::vector<v1::Job>>;

  // Whether the words after `create` or `delete` are about a reservation.
  bool IsOfReservation() const {
    return BeginsWithReservation(absl::MakeConstSpan(options_.words).subspan(1));
  }
  absl::Status ShowJobs(absl::string_view names);
  absl::Status ShowConfig();
  // The words after the verb as names of jobs.
  absl::StatusOr<std::vector<JobName>> NamedJobs() const;
  // The jobs with these names; reports a name that no job has.
  absl::StatusOr<Jobs> Find(const std::vector<JobName>& names);
  absl::StatusOr<Jobs> Find() {
    const auto names = NamedJobs();
    if (!names.ok()) return names.status();
    return Find(*names);
  }
  absl::StatusOr<v1::UpdateJobsResponse> Send(const std::vector<std::string>& paths,
                                              const std::vector<v1::Job>& jobs) const;
  // Sends the jobs and reports refusals. Where only an administrator may set a hold, sets a user
  // hold.
  absl::Status SendAll(const Batches& batches);
  void ReportRefusal(const v1::JobUpdateResult& result);
  absl::Status PrintAnswer(const google::protobuf::Message& message) const {
    return options_.json ? PrintJson(message, out_) : absl::OkStatus();
  }
  void Fail(const std::string& why) {
    err_ << why << '\n';
    *exit_code_ = 1;
  }

  const ScontrolOptions& options_;
  const client::PriorityClient& client_;
  const absl::Time now_;
  std::ostream& out_;
  std::ostream& err_;
  int* const exit_code_;
  v1::UpdateJobsRequest term_;  // With from and until, if an update has them.
  PartitionVerbs partitions_;
  ReservationVerbs reservations_;
};

struct Verb {
  const char* name;
  absl::Status (Command::*run)();
};
constexpr Verb kVerbs[] = {
    {"update", &Command::Update},    {"hold", &Command::HoldByAdministrator},
    {"uhold", &Command::HoldByUser}, {"release", &Command::Release},
    {"top", &Command::Top},          {"show", &Command::Show},
    {"create", &Command::Create},    {"delete", &Command::Delete},
};
struct Other {
  const char* name;
  const char* why;
};
constexpr char kNoExecutor[] = "priorityd starts and stops no jobs; ask the frontend";
constexpr char kNoDaemon[] = "priorityd is no slurmctld";
constexpr Other kOthers[] = {
    {"requeue", kNoExecutor},     {"requeuehold", kNoExecutor}, {"suspend", kNoExecutor},
    {"resume", kNoExecutor},      {"notify", kNoExecutor},      {"write", kNoExecutor},
    {"wait_job", kNoExecutor},    {"reboot", kNoExecutor},      {"cancel_reboot", kNoExecutor},
    {"ping", kNoDaemon},          {"reconfigure", kNoDaemon},   {"shutdown", kNoDaemon},
    {"takeover", kNoDaemon},      {"setdebug", kNoDaemon},      {"setdebugflags", kNoDaemon},
    {"schedloglevel", kNoDaemon}, {"token", kNoDaemon},         {"listpids", kNoDaemon},
};

bool Begins(absl::string_view word, absl::string_view beginning) {
  return !beginning.empty() && absl::StartsWithIgnoreCase(word, beginning);
}

bool IsDeniedHold(const v1::JobUpdateResult& result) {
  return result.reason() == "AccessDenied" && result.field() == "hold";
}

absl::StatusOr<std::vector<JobName>> Command::NamedJobs() const {
  std::vector<JobName> all;
  for (size_t i = 1; i < options_.words.size(); ++i) {
    absl::string_view word = options_.words[i];
    const size_t equals = word.find('=');
    const bool has_name = equals != absl::string_view::npos &&
                          (absl::EqualsIgnoreCase(word.substr(0, equals), "job") ||
                           absl::EqualsIgnoreCase(word.substr(0, equals), "jobid"));
    auto names = ParseJobNames(has_name ? word.substr(equals + 1) : word);
    if (!names.ok()) return names.status();
    all.insert(all.end(), names->begin(), names->end());
  }
  if (all.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("too few arguments for keyword:", options_.words.front()));
  }
  return all;
}

absl::StatusOr<Command::Jobs> Command::Find(const std::vector<JobName>& names) {
  v1::ListJobsRequest request;
  request.set_with_ranking(true);
  absl::StatusOr<v1::ListJobsResponse> all = client_.ListAllJobs(request);
  if (!all.ok()) return all.status();
  Jobs found;
  std::vector<bool> taken(all->jobs_size());
  for (const JobName& name : names) {
    bool any = false;
    for (int i = 0; i < all->jobs_size(); ++i) {
      if (!name.Matches(all->jobs(i).job())) continue;
      any = true;
      if (taken[i]) continue;
      taken[i] = true;
      found.push_back(all->jobs(i));
    }
    if (!any) Fail(absl::StrCat("Invalid job id specified for job ", name.text));
  }
  return found;
}

absl::StatusOr<v1::UpdateJobsResponse> Command::Send(const std::vector<std::string>& paths,
                                                     const std::vector<v1::Job>& jobs) const {
  v1::UpdateJobsRequest request = term_;
  request.set_source("scontrol");
  request.set_on_behalf_of(options_.on_behalf_of);
  for (const std::string& path : paths) request.mutable_update_mask()->add_paths(path);
  for (const v1::Job& job : jobs) *request.add_upserts() = job;
  return client_.UpdateJobs(request);
}

void Command::ReportRefusal(const v1::JobUpdateResult& result) {
  const bool done = result.outcome() == v1::UPDATE_OUTCOME_UPSERTED ||
                    result.outcome() == v1::UPDATE_OUTCOME_UNCHANGED;
  if (!done) Fail(ErrorText(result));
  if (done && !result.message().empty()) err_ << "Warning: " << result.message() << '\n';
}

absl::Status Command::SendAll(const Batches& batches) {
  for (const auto& [paths, jobs] : batches) {
    const auto response = Send(paths, jobs);
    if (!response.ok()) return response.status();
    if (absl::Status s = PrintAnswer(*response); !s.ok()) return s;
    std::vector<v1::Job> again;
    for (int i = 0; i < response->upserts_size(); ++i) {
      const bool wants_hold = jobs[i].hold() == v1::HOLD_ADMIN;
      if (!IsDeniedHold(response->upserts(i)) || !wants_hold) {
        ReportRefusal(response->upserts(i));
        continue;
      }
      again.push_back(jobs[i]);
      again.back().set_hold(v1::HOLD_USER);
    }
    if (again.empty()) continue;
    if (absl::Status s = SendAll({{paths, again}}); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Command::Hold(v1::Hold hold) {
  const auto jobs = Find();
  if (!jobs.ok()) return jobs.status();
  Batches batches;
  for (const v1::TrackedJob& tracked : *jobs) {
    if (tracked.job().state() != v1::JOB_STATE_PENDING) {
      Fail(absl::StrCat("Job is no longer pending execution for job ", IdText(tracked.job())));
      continue;
    }
    v1::Job job;
    job.set_job_id(tracked.job().job_id());
    job.set_hold(hold);
    batches[{"hold"}].push_back(std::move(job));
  }
  return SendAll(batches);
}

absl::Status Command::Release() {
  const auto jobs = Find();
  if (!jobs.ok()) return jobs.status();
  Batches batches;
  for (const v1::TrackedJob& tracked : *jobs) {
    v1::Job job;
    job.set_job_id(tracked.job().job_id());
    std::vector<std::string> paths;
    if (tracked.job().hold() != v1::HOLD_UNSPECIFIED) paths.push_back("hold");
    const bool is_zero = tracked.job().has_admin_priority() && tracked.job().admin_priority() == 0;
    if (is_zero) paths.push_back("admin_priority");
    if (!paths.empty()) batches[paths].push_back(std::move(job));
  }
  return SendAll(batches);
}

absl::Status Command::Top() {
  const auto jobs = Find();
  if (!jobs.ok()) return jobs.status();
  if (*exit_code_ != 0) return absl::OkStatus();
  v1::TopJobsRequest request;
  request.set_on_behalf_of(options_.on_behalf_of);
  for (const v1::TrackedJob& job : *jobs) request.add_job_ids(job.job().job_id());
  const auto response = client_.TopJobs(request);
  if (!response.ok()) return response.status();
  if (absl::Status s = PrintAnswer(*response); !s.ok()) return s;
  for (const v1::JobUpdateResult& result : response->results()) ReportRefusal(result);
  return absl::OkStatus();
}

absl::Status Command::Update() {
  const std::vector<std::string> words(options_.words.begin() + 1, options_.words.end());
  if (words.empty()) return absl::InvalidArgumentError("too few arguments for update keyword");
  for (const char* entity : {"NodeName", "FrontendName"}) {
    const std::string first = words.front().substr(0, words.front().find('='));
    if (absl::EqualsIgnoreCase(entity, first)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "update ", entity, ": only jobs, partitions and reservations are updated here"));
    }
  }
  if (NamesEntity(words, "ReservationName")) return reservations_.Update();
  if (NamesEntity(words, "PartitionName")) return partitions_.Update();
  const absl::StatusOr<JobUpdate> update = ParseJobUpdate(words);
  if (!update.ok()) return update.status();
  term_.set_from(update->from);
  term_.set_until(update->until);
  const auto jobs = Find(update->jobs);
  if (!jobs.ok()) return jobs.status();
  Batches batches;
  for (const v1::TrackedJob& tracked : *jobs) {
    v1::Job changed;
    std::vector<std::string> paths;
    absl::Status applied = ApplySettings(update->settings, tracked.job(), now_, &changed, &paths);
    if (!applied.ok()) return applied;
    batches[paths].push_back(std::move(changed));
  }
  return SendAll(batches);
}

absl::Status Command::Show() {
  const std::vector<std::string>& words = options_.words;
  if (words.size() < 2) return absl::InvalidArgumentError("too few arguments for keyword:show");
  const std::pair<std::string, std::string> entity =
      absl::StrSplit(words[1], absl::MaxSplits('=', 1));
  const std::string names = words.size() > 2 ? words[2] : entity.second;
  if (Begins("jobs", entity.first) || absl::EqualsIgnoreCase(entity.first, "jobid")) {
    return ShowJobs(names);
  }
  if (Begins("config", entity.first)) return ShowConfig();
  if (Begins("partitions", entity.first) || Begins("PartitionName", entity.first)) {
    return partitions_.Show(names);
  }
  if (Begins("reservations", entity.first) || Begins("ReservationName", entity.first)) {
    return reservations_.Show(names);
  }
  if (Begins("assoc_mgr", entity.first)) {
    if (options_.json) {
      return absl::InvalidArgumentError(
          "show assoc_mgr: no --json; prioctl sacctmgr show assoc --json has it");
    }
    return ShowAssocMgr({words.begin() + 2, words.end()}, client_, out_);
  }
  for (const char* other : {"bbstat", "burstbuffer", "daemons", "dwstat", "federation", "frontend",
                            "licenses", "powercap", "slurmd", "steps", "topology"}) {
    if (!Begins(other, entity.first)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "show ", other,
        ": not shown here; job, partition, reservation, node, hostnames, hostlist, assoc_mgr and "
        "config are"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("invalid entity:", words[1], " for keyword:", words[0]));
}

absl::Status Command::ShowJobs(absl::string_view text) {
  std::vector<JobName> names;
  if (!text.empty()) {
    auto parsed = ParseJobNames(text);
    if (!parsed.ok()) return parsed.status();
    names = *std::move(parsed);
  }
  v1::ListJobsRequest request;
  request.set_with_ranking(true);
  for (const v1::JobState state : EveryState()) request.add_states(state);
  absl::StatusOr<v1::ListJobsResponse> all = client_.ListAllJobs(request);
  if (!all.ok()) return all.status();
  v1::ListJobsResponse shown;
  for (const v1::TrackedJob& job : all->jobs()) {
    const bool named = names.empty() || absl::c_any_of(names, [&](const JobName& name) {
                         return name.Matches(job.job());
                       });
    if (named) *shown.add_jobs() = job;
  }
  if (shown.jobs().empty() && !names.empty()) {
    Fail("slurm_load_jobs error: Invalid job id specified");
  }
  if (options_.json) {
    shown.set_total(shown.jobs_size());
    return PrintJson(shown, out_);
  }
  ShowApplied(&shown);
  for (const v1::TrackedJob& job : shown.jobs()) out_ << JobSheet(job, now_, options_.one_line);
  if (shown.jobs().empty() && names.empty()) out_ << "No jobs in the system\n";
  return absl::OkStatus();
}

absl::Status Command::ShowConfig() {
  const auto policy = client_.GetPolicy({});
  if (!policy.ok()) return policy.status();
  if (options_.json) return PrintJson(*policy, out_);
  out_ << "Configuration data as of "
       << absl::FormatTime("%Y-%m-%dT%H:%M:%S", now_, absl::LocalTimeZone()) << '\n';
  for (const v1::PolicyParameter& parameter : policy->parameters().all()) {
    const size_t padded = std::max<size_t>(23, parameter.name().size());
    out_ << parameter.name() << std::string(padded - parameter.name().size(), ' ') << " = "
         << (parameter.value().empty() ? "(null)" : parameter.value()) << '\n';
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Scontrol(const ScontrolOptions& options, const client::PriorityClient& client,
                      absl::Time now, std::ostream& out, std::ostream& err, int* exit_code) {
  if (options.words.empty()) {
    return absl::InvalidArgumentError(
        "got no command, want hold, uhold, release, top, update, create, delete or show");
  }
  const std::string& word = options.words.front();
  Command scontrol(options, client, now, out, err, exit_code);
  for (const Verb& verb : kVerbs) {
    if (Begins(verb.name, word)) return (scontrol.*verb.run)();
  }
  for (const Other& other : kOthers) {
    if (!Begins(other.name, word)) continue;
    return absl::InvalidArgumentError(absl::StrCat(other.name, ": not done here: ", other.why));
  }
  return absl::InvalidArgumentError(absl::StrCat("invalid keyword: ", word));
}

}  // namespace priorityd::jobs
