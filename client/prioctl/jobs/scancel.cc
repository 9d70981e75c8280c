#include "client/prioctl/jobs/scancel.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs/applied_names.h"
#include "client/prioctl/jobs/job_selection.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/slurm/words/array_task_ids.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

// Jobs of a request.
constexpr size_t kCancelBatch = 20'000;
// Of an array from which single tasks are cancelled.
constexpr uint32_t kMostSingleTasks = 100'000;

bool HasFilter(const ScancelOptions& options) {
  return !options.users.empty() || !options.accounts.empty() || !options.partitions.empty() ||
         !options.qos.empty() || !options.states.empty() || !options.names.empty() ||
         !options.reservation.empty();
}

// An empty value is a variable of a script that is not set: which jobs it means is not known.
absl::Status CheckFilters(const ScancelOptions& options) {
  const std::pair<const char*, const std::vector<std::string>*> filters[] = {
      {"--user", &options.users},           {"--account", &options.accounts},
      {"--partition", &options.partitions}, {"--qos", &options.qos},
      {"--state", &options.states},         {"--name", &options.names}};
  for (const auto& [option, values] : filters) {
    if (!absl::c_linear_search(*values, "")) continue;
    return absl::InvalidArgumentError(absl::StrCat(option, ": got an empty value, want a name"));
  }
  return absl::OkStatus();
}

absl::Status CheckScancel(const ScancelOptions& options) {
  if (!options.signal.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--signal: got ", options.signal,
                     "; signals reach programs, which priorityd does not run: use the frontend's "
                     "own command"));
  }
  if (options.jobs.empty() && !HasFilter(options)) {
    return absl::InvalidArgumentError("No job identification provided");
  }
  return CheckFilters(options);
}

// `12_4`, not a name or a word.
absl::StatusOr<std::vector<JobName>> NamesOf(const ScancelOptions& options) {
  if (options.jobs.empty()) return std::vector<JobName>();
  absl::StatusOr<std::vector<JobName>> names = ParseJobNames(absl::StrJoin(options.jobs, ","));
  if (!names.ok()) return names.status();
  for (const JobName& name : *names) {
    if (!name.job_name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("Invalid job id ", name.text));
    }
  }
  return names;
}

absl::StatusOr<v1::ListJobsRequest> RequestOf(const ScancelOptions& options) {
  v1::ListJobsRequest request;
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  for (const std::string& word : options.states) {
    const size_t before = request.states_size();
    for (const v1::JobState state :
         {v1::JOB_STATE_PENDING, v1::JOB_STATE_RUNNING, v1::JOB_STATE_SUSPENDED}) {
      const bool is_word = absl::EqualsIgnoreCase(word, StateText(state)) ||
                           absl::EqualsIgnoreCase(word, ShortStateText(state));
      if (is_word) request.add_states(state);
    }
    if (before < static_cast<size_t>(request.states_size())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--state: got \"", word, "\", want PENDING, RUNNING or SUSPENDED"));
  }
  return request;
}

bool Passes(const ScancelOptions& options, const v1::Job& job) {
  const auto has = [](const std::vector<std::string>& wanted, const std::string& name) {
    return wanted.empty() || absl::c_linear_search(wanted, name);
  };
  const bool has_qos =
      options.qos.empty() || absl::c_any_of(job.qos(), [&](const std::string& name) {
        return absl::c_linear_search(options.qos, name);
      });
  return has_qos && has(options.names, job.name()) &&
         (options.reservation.empty() || job.reservation() == options.reservation);
}

// One command line in progress.
class Cancellation {
 public:
  Cancellation(const ScancelOptions& options, const client::PriorityClient& client,
               std::istream& in, std::ostream& out, std::ostream& err, int* exit_code)
      : options_(options), client_(client), in_(in), out_(out), err_(err), exit_code_(exit_code) {}

  // Chooses the job if it can be cancelled: of an array the tasks that `names` name, if they name
  // tasks alone.
  void Choose(const v1::TrackedJob& tracked, const std::vector<const JobName*>& names);
  void Fail(const std::string& job_id, absl::string_view why) {
    err_ << "scancel: error: Kill job error on job id " << job_id << ": " << why << '\n';
    *exit_code_ = 1;
  }
  absl::Status Send();

 private:
  bool Asked(const v1::Job& job);
  absl::Status SendRequest(const v1::UpdateJobsRequest& request);
  void Report(const v1::JobUpdateResult& result);

  const ScancelOptions& options_;
  const client::PriorityClient& client_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  int* const exit_code_;
  std::vector<std::string> removed_;
  std::vector<v1::Job> shortened_;  // Arrays with the tasks that stay.
};

// Until the answer is y or n; the end of the input is n.
bool Cancellation::Asked(const v1::Job& job) {
  if (!options_.interactive) return true;
  while (true) {
    out_ << "Cancel job_id=" << IdText(job) << " name=" << Visible(job.name())
         << " partition=" << absl::StrJoin(job.partitions(), ",") << " [y/n]? " << std::flush;
    std::string answer;
    if (!std::getline(in_, answer)) return false;
    const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
    if (word == "y" || word == "yes") return true;
    if (word == "n" || word == "no") return false;
  }
}

void Cancellation::Choose(const v1::TrackedJob& tracked, const std::vector<const JobName*>& names) {
  const v1::Job& job = tracked.job();
  if (job.state() != v1::JOB_STATE_PENDING) {
    Fail(IdText(job),
         absl::StrCat("the job has started: priorityd stops no programs, its frontend",
                      tracked.source().empty() ? "" : " ", tracked.source(), " cancels it"));
    return;
  }
  const bool is_whole =
      names.empty() || job.array_task_ids().empty() || absl::c_any_of(names, [&](const auto* name) {
        return name->tasks.empty() || name->text == job.job_id();
      });
  if (!is_whole && slurm::CountArrayTasks(job.array_task_ids()).value_or(0) > kMostSingleTasks) {
    Fail(IdText(job), absl::StrCat("got single tasks of an array with more than ", kMostSingleTasks,
                                   " tasks, want the whole array"));
    return;
  }
  if (!Asked(job)) return;
  if (options_.verbose) err_ << "scancel: Terminating job " << IdText(job) << '\n';
  v1::Job kept;
  if (!is_whole) {
    kept.set_job_id(job.job_id());
    const std::vector<bool> named = NamedTasks(names);
    kept.set_array_task_ids(
        TasksWithout(job.array_task_ids(), [&](uint32_t task) { return named[task]; }));
  }
  if (kept.array_task_ids().empty()) {
    removed_.push_back(job.job_id());
  } else {
    shortened_.push_back(std::move(kept));
  }
}

void Cancellation::Report(const v1::JobUpdateResult& result) {
  const bool is_absent = result.outcome() == v1::UPDATE_OUTCOME_UNCHANGED ||
                         result.outcome() == v1::UPDATE_OUTCOME_NOT_FOUND;
  if (is_absent && !options_.quiet) Fail(result.job_id(), "Invalid job id specified");
  if (result.reason().empty()) return;
  const std::string why =
      result.reason() == "AccessDenied" ? "Access/permission denied" : result.reason();
  Fail(result.job_id(), absl::StrCat(why, " (", result.message(), ")"));
}

absl::Status Cancellation::SendRequest(const v1::UpdateJobsRequest& request) {
  const absl::StatusOr<v1::UpdateJobsResponse> response = client_.UpdateJobs(request);
  if (!response.ok()) return response.status();
  for (const v1::JobUpdateResult& result : response->removals()) Report(result);
  for (const v1::JobUpdateResult& result : response->upserts()) Report(result);
  return absl::OkStatus();
}

absl::Status Cancellation::Send() {
  v1::UpdateJobsRequest empty;
  empty.set_on_behalf_of(options_.on_behalf_of);
  for (size_t begin = 0; begin < removed_.size(); begin += kCancelBatch) {
    v1::UpdateJobsRequest request = empty;
    const size_t end = std::min(begin + kCancelBatch, removed_.size());
    request.mutable_removals()->Add(removed_.begin() + begin, removed_.begin() + end);
    if (absl::Status s = SendRequest(request); !s.ok()) return s;
  }
  for (size_t begin = 0; begin < shortened_.size(); begin += kCancelBatch) {
    v1::UpdateJobsRequest request = empty;
    const size_t end = std::min(begin + kCancelBatch, shortened_.size());
    request.mutable_upserts()->Add(shortened_.begin() + begin, shortened_.begin() + end);
    request.mutable_update_mask()->add_paths("array_task_ids");
    if (absl::Status s = SendRequest(request); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Scancel(const ScancelOptions& options, const client::PriorityClient& client,
                     std::istream& in, std::ostream& out, std::ostream& err, int* exit_code) {
  if (absl::Status s = CheckScancel(options); !s.ok()) return s;
  const absl::StatusOr<std::vector<JobName>> names = NamesOf(options);
  if (!names.ok()) return names.status();
  const absl::StatusOr<v1::ListJobsRequest> request = RequestOf(options);
  if (!request.ok()) return request.status();
  absl::StatusOr<v1::ListJobsResponse> jobs = client.ListAllJobs(*request);
  if (!jobs.ok()) return jobs.status();
  ShowApplied(&*jobs);
  Cancellation cancellation(options, client, in, out, err, exit_code);
  std::vector<bool> is_found(names->size());
  for (const v1::TrackedJob& tracked : jobs->jobs()) {
    std::vector<const JobName*> of_job;
    for (size_t i = 0; i < names->size(); ++i) {
      if (!(*names)[i].Matches(tracked.job())) continue;
      is_found[i] = true;
      of_job.push_back(&(*names)[i]);
    }
    if ((names->empty() || !of_job.empty()) && Passes(options, tracked.job())) {
      cancellation.Choose(tracked, of_job);
    }
  }
  for (size_t i = 0; i < names->size(); ++i) {
    const bool is_error = !is_found[i] && !HasFilter(options) && !options.quiet;
    if (is_error) cancellation.Fail((*names)[i].text, "Invalid job id specified");
  }
  return cancellation.Send();
}

}  // namespace priorityd::jobs
