#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/applied_names.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/squeue_jobs.h"

namespace priorityd::prioctl {
namespace {

// `prioctl queue sync|update FILE`, `prioctl import squeue FILE`
struct QueueUpdateOptions {
  std::string file;  // `-` = standard input
  std::string source;
  std::string on_behalf_of;  // Empty = nobody.
  bool full_sync = false;
  bool of_squeue = false;  // the file is squeue's
  bool strict = false;     // refuses a file of squeue's of which something would be lost
  bool yes = false;        // an empty file removes all jobs without a question
  bool json = false;
};

// `prioctl queue remove JOBID...`
struct QueueRemoveOptions {
  std::vector<std::string> job_ids;
  std::string on_behalf_of;
  bool json = false;
};

// `prioctl queue list`
struct QueueListOptions {
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> states;
  std::vector<std::string> sources;
  bool as_submitted = false;
  bool by_submit_time = false;
  bool json = false;
};

namespace v1 = ::priority::v1;

// Jobs a call; a full sync goes in one.
constexpr int kBatch = 20000;
constexpr char kDefaultSource[] = "prioctl";

// Counts outcomes, and gathers those that people have to look at.
class Outcomes {
 public:
  void Add(const v1::JobUpdateResult& result) {
    ++counts_[result.outcome()];
    if (result.reason().empty()) return;
    if (failed_++ == 0)
      first_failure_ = absl::StrCat(result.job_id(), ": ", SentenceText(result.message()));
    failures_.AddRow({result.job_id(),
                      result.outcome() == v1::UPDATE_OUTCOME_REFUSED ? "refused" : "invalid",
                      result.reason(), SentenceText(result.message())});
  }
  // A job that is not tracked cannot be removed: mostly a wrong id.
  void AddRemoval(const v1::JobUpdateResult& result) {
    v1::JobUpdateResult removal = result;
    if (removal.outcome() == v1::UPDATE_OUTCOME_UNCHANGED) {
      removal.set_outcome(v1::UPDATE_OUTCOME_INVALID);
      removal.set_reason("NotTracked");
      removal.set_message("the queue has no such job");
    }
    Add(removal);
  }
  void AddRemovedBySync(uint32_t jobs) { counts_[v1::UPDATE_OUTCOME_REMOVED] += jobs; }

  void Print(std::ostream& out) {
    if (failed_ > 0) failures_.Print(out);
    out << absl::StrCat(counts_[v1::UPDATE_OUTCOME_UPSERTED], " upserted, ",
                        counts_[v1::UPDATE_OUTCOME_REMOVED], " removed, ",
                        counts_[v1::UPDATE_OUTCOME_UNCHANGED], " unchanged, ",
                        counts_[v1::UPDATE_OUTCOME_REFUSED], " refused, ",
                        counts_[v1::UPDATE_OUTCOME_INVALID], " invalid\n");
  }

  absl::Status ToStatus() const {
    if (failed_ == 0) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(CountedText(failed_, "job"), " not taken; the first: ", first_failure_));
  }

 private:
  std::map<v1::UpdateOutcome, int64_t> counts_;
  Table failures_{{{"JOBID", true}, {"OUTCOME"}, {"REASON"}, {"WHY"}}};
  int failed_ = 0;
  std::string first_failure_;
};

// Adds the answer to those of the calls before.
absl::Status Send(const client::PriorityClient& client, const v1::UpdateJobsRequest& request,
                  v1::UpdateJobsResponse* all) {
  const absl::StatusOr<v1::UpdateJobsResponse> response = client.UpdateJobs(request);
  if (response.ok()) all->MergeFrom(*response);
  return response.status();
}

// In calls of at most kBatch jobs, except those that replace all jobs of a source.
absl::Status SendAll(const client::PriorityClient& client, v1::UpdateJobsRequest request,
                     v1::InlineJobs* jobs, v1::UpdateJobsResponse* all) {
  for (v1::Job& job : *jobs->mutable_jobs()) {
    *request.add_upserts() = std::move(job);
    if (request.full_sync() || request.upserts_size() < kBatch) continue;
    if (absl::Status sent = Send(client, request, all); !sent.ok()) return sent;
    request.clear_upserts();
  }
  const bool is_sent = !request.full_sync() && request.upserts().empty();
  return is_sent ? absl::OkStatus() : Send(client, request, all);
}

// Prints the outcomes. `sent`: an error of a later call than those that answered.
absl::Status Finish(const absl::Status& sent, const v1::UpdateJobsResponse& all, bool json,
                    std::ostream& out) {
  const bool has_answers = all.upserts_size() + all.removals_size() > 0;
  if (json && (sent.ok() || has_answers)) out << ToJson(all) << '\n';
  if (!sent.ok()) return sent;
  Outcomes outcomes;
  for (const v1::JobUpdateResult& result : all.upserts()) outcomes.Add(result);
  for (const v1::JobUpdateResult& result : all.removals()) outcomes.AddRemoval(result);
  outcomes.AddRemovedBySync(all.removed_by_sync());
  if (!json) outcomes.Print(out);
  return outcomes.ToStatus();
}

v1::JobState StateOf(const std::string& word) {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  v1::JobState_Parse(absl::StrCat("JOB_STATE_", absl::AsciiStrToUpper(word)), &state);
  return state;
}

absl::StatusOr<v1::ListJobsRequest> ListRequest(const QueueListOptions& options) {
  v1::ListJobsRequest request;
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  request.mutable_qos()->Add(options.qos.begin(), options.qos.end());
  request.mutable_sources()->Add(options.sources.begin(), options.sources.end());
  request.set_as_submitted(options.as_submitted);
  for (const std::string& word : options.states) {
    if (StateOf(word) == v1::JOB_STATE_UNSPECIFIED) {
      return OptionError(
          absl::StrCat("--states: got \"", word,
                       "\", want PENDING, RUNNING, SUSPENDED, COMPLETED, FAILED, TIMEOUT, "
                       "CANCELLED, PREEMPTED or NODE_FAIL"));
    }
    request.add_states(StateOf(word));
  }
  if (options.by_submit_time) request.set_order(v1::JOB_ORDER_SUBMIT_TIME);
  return request;
}

std::string StateText(const v1::Job& job) {
  return v1::JobState_Name(job.state()).substr(sizeof("JOB_STATE_") - 1);
}

// As squeue shows an array.
std::string JobIdText(const v1::Job& job) {
  if (job.array_task_ids().empty()) return job.job_id();
  return absl::StrCat(job.job_id(), "_[", job.array_task_ids(), "]");
}

std::string HoldText(const v1::Job& job) {
  if (job.hold() == v1::HOLD_USER) return "user";
  return job.hold() == v1::HOLD_ADMIN ? "admin" : "";
}

void PrintJobs(const v1::ListJobsResponse& jobs, std::ostream& out) {
  Table table({{"JOBID", true},
               {"USER"},
               {"ACCOUNT"},
               {"PARTITION"},
               {"QOS"},
               {"STATE"},
               {"HOLD"},
               {"DEPENDENCY"},
               {"SUBMITTED"},
               {"ACCRUES SINCE"},
               {"SOURCE"}});
  for (const v1::TrackedJob& tracked : jobs.jobs()) {
    const v1::Job& job = tracked.job();
    table.AddRow({JobIdText(job), job.user(), job.account(), absl::StrJoin(job.partitions(), ","),
                  absl::StrJoin(job.qos(), ","), StateText(job), HoldText(job), job.dependency(),
                  TimeText(job.submit_time(), job.has_submit_time()),
                  job.has_accrue_time() ? TimeText(job.accrue_time()) : "", tracked.source()});
  }
  table.Print(out);
  out << absl::StrCat("\n", CountedText(jobs.total(), "job"), "\n");
}

absl::StatusOr<v1::InlineJobs> ReadSqueueFile(const QueueUpdateOptions& options,
                                              std::ostream& err) {
  const absl::StatusOr<std::string> content = ReadFile(options.file);
  if (!content.ok()) return content.status();
  if (LookAt(*content) != FileKind::kJson) {
    absl::Status kind = CheckKind(options.file, *content, FileKind::kSqueue);
    if (!kind.ok()) return kind;
  }
  std::vector<std::string> losses;
  auto jobs = tables::ReadSqueueJobs(options.file, *content, absl::LocalTimeZone(), &losses);
  if (!jobs.ok()) return jobs.status();
  if (absl::Status s = ReportLosses(losses, options.strict, err); !s.ok()) return s;
  return jobs;
}

// Asks before a sync with a file that names no job, by which all jobs of the source go.
absl::Status AskToEmpty(const QueueUpdateOptions& options, const std::string& source,
                        const client::PriorityClient& client, Console& console) {
  v1::ListJobsRequest request;
  request.add_sources(source);
  request.set_page_size(1);
  const absl::StatusOr<v1::ListJobsResponse> jobs = client.ListJobs(request);
  if (!jobs.ok()) return jobs.status();
  if (jobs->total() == 0) return absl::OkStatus();
  return Ask(absl::StrCat(options.file, " names no job: remove the ",
                          CountedText(jobs->total(), "job"), " of source ", source, "?"),
             options.yes, console);
}

absl::Status Run(const QueueUpdateOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<v1::InlineJobs> jobs =
      options.of_squeue ? ReadSqueueFile(options, console.err) : ReadJobs(options.file);
  if (!jobs.ok()) return jobs.status();
  v1::UpdateJobsRequest request;
  request.set_source(options.source.empty() ? kDefaultSource : options.source);
  request.set_full_sync(options.full_sync);
  request.set_on_behalf_of(options.on_behalf_of);
  if (options.full_sync && jobs->jobs().empty() && !options.yes) {
    absl::Status asked = AskToEmpty(options, request.source(), client, console);
    if (!asked.ok()) return asked;
  }
  v1::UpdateJobsResponse all;
  const absl::Status sent = SendAll(client, std::move(request), &*jobs, &all);
  return Finish(sent, all, options.json, console.out);
}

absl::Status Run(const QueueRemoveOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::UpdateJobsRequest request;
  request.mutable_removals()->Add(options.job_ids.begin(), options.job_ids.end());
  request.set_on_behalf_of(options.on_behalf_of);
  v1::UpdateJobsResponse all;
  const absl::Status sent = Send(client, request, &all);
  return Finish(sent, all, options.json, console.out);
}

absl::Status Run(const QueueListOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<v1::ListJobsRequest> request = ListRequest(options);
  if (!request.ok()) return request.status();
  absl::StatusOr<v1::ListJobsResponse> jobs = client.ListAllJobs(*request);
  if (!jobs.ok()) return jobs.status();
  if (options.json) {
    console.out << ToJson(*jobs) << '\n';
    return absl::OkStatus();
  }
  if (!options.as_submitted) jobs::ShowApplied(&*jobs);
  PrintJobs(*jobs, console.out);
  return absl::OkStatus();
}

void AddOnBehalfOf(CLI::App* app, std::string& user) {
  app->add_option("--on-behalf-of", user,
                  "With the rights of this user, and no others; for operators and frontends")
      ->type_name("USER");
}

// Of sync, which makes the queue what the file says, and of update, which adds to it.
void AddUpdateOptions(CLI::App* app, CommandLine& line, bool full_sync) {
  auto options = Adopt<QueueUpdateOptions>(app, line, Run);
  options->full_sync = full_sync;
  app->add_option("FILE", options->file, "Jobs as JSON Lines; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source,
                  "The source of these jobs; no other source changes them; default prioctl")
      ->type_name("NAME");
  if (full_sync) AddYes(app, options->yes);
  if (!full_sync) AddOnBehalfOf(app, options->on_behalf_of);
  AddJson(app, options->json);
}

void AddQueueSyncOptions(CLI::App* app, CommandLine& line) {
  AddUpdateOptions(app, line, /*full_sync=*/true);
}

void AddQueueUpdateOptions(CLI::App* app, CommandLine& line) {
  AddUpdateOptions(app, line, /*full_sync=*/false);
}

void AddQueueRemoveOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<QueueRemoveOptions>(app, line, Run);
  app->add_option("JOBID", options->job_ids, "The jobs")->required()->type_name("");
  AddOnBehalfOf(app, options->on_behalf_of);
  AddJson(app, options->json);
}

void AddQueueListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<QueueListOptions>(app, line, Run);
  AddList(app, "-u,--users", options->users, "Only jobs of these users");
  AddList(app, "-A,--accounts", options->accounts, "Only jobs charged to these accounts");
  AddList(app, "-p,--partitions", options->partitions,
          "Only jobs that may run in one of these partitions");
  AddList(app, "-q,--qos", options->qos, "Only jobs that may run under one of these QOS");
  AddList(app, "-t,--states", options->states,
          "Only jobs in these states: PENDING, RUNNING, SUSPENDED, or an ended job's");
  AddList(app, "--sources", options->sources, "Only jobs of these sources");
  app->add_flag("--as-submitted", options->as_submitted,
                "Account, partitions and QOS as sent, without the defaults that apply");
  app->add_flag("--by-submit-time", options->by_submit_time, "Oldest first, not by job id");
  AddJson(app, options->json);
}

void AddImportSqueueOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<QueueUpdateOptions>(app, line, Run);
  options->full_sync = true;
  options->of_squeue = true;
  options->source = "squeue";
  app->add_option("FILE", options->file, "The file; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source,
                  "The source of these jobs; no other source changes them")
      ->type_name("NAME")
      ->capture_default_str();
  AddYes(app, options->yes);
  AddStrict(app, options->strict);
  AddJson(app, options->json);
}

constexpr Command kQueueCommands[] = {
    {"sync", "Replace all jobs of a source by those of the file", AddQueueSyncOptions},
    {"update", "Add or change jobs", AddQueueUpdateOptions},
    {"remove", "Remove jobs", AddQueueRemoveOptions},
    {"list", "Show the jobs", AddQueueListOptions},
};

void AddQueueGroup(CLI::App* app, CommandLine& line) { AddCommands(kQueueCommands, app, line); }

}  // namespace

const Command kQueueCommand = {"queue", "The tracked queue", AddQueueGroup};

const Command kImportSqueueCommand = {
    "squeue",
    "What `squeue -a --json`, or `squeue -a -o "
    "\"%i|%u|%a|%P|%q|%T|%l|%D|%C|%m|%b|%j|%V|%S|%E|%y|%r|%v\"` printed: the tracked queue "
    "of source squeue becomes that; times are of your time zone. --json has memory and GPUs of "
    "every job, also of --mem-per-cpu and --gpus",
    AddImportSqueueOptions};

}  // namespace priorityd::prioctl
